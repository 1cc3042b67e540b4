import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { RecPushError } from "../model/failure.ts";
import type { RecordSink } from "../run/check.ts";

/** Opens the output of `--records`: a file, or standard output for `-`. Throws {@link RecPushError} of kind `machine`. */
export async function openRecordSink(destination: string, stdout: Writable): Promise<RecordSink> {
  return destination === "-" ? streamSink(stdout) : fileSink(destination);
}

/** What a write ends with once nobody reads any more. */
const LEFT: ReadonlySet<string | undefined> = new Set(["EPIPE", "ECONNRESET"]);

function streamSink(stdout: Writable): RecordSink {
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => {
          // A reader that has closed the pipe (`| head`) needs no more records.
          if (error == null || LEFT.has(codeOf(error))) resolve(error == null);
          else reject(cannotWrite("standard output", error));
        });
      }),
    close: () => Promise.resolve(),
  };
}

/** A link could lead to a file that another user wants to have overwritten. Windows has no such flag. */
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

async function fileSink(path: string): Promise<RecordSink> {
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600).catch((cause: unknown) => {
    throw cannotWrite(path, cause);
  });
  return {
    async write(text) {
      await file.appendFile(text).catch((cause: unknown) => {
        throw cannotWrite(path, cause);
      });
      return true;
    },
    close: () => file.close(),
  };
}

function cannotWrite(place: string, cause: unknown): RecPushError {
  const code = codeOf(cause) ?? "unknown error";
  const why = code === "ELOOP" ? "it is a link, which is not followed" : code;
  return new RecPushError("machine", "records-file", `cannot write the records to ${place}: ${why}`, {
    ...(code === "ELOOP" ? { hint: "name the file itself, or - for standard output" } : {}),
    cause,
  });
}

function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException).code;
}
