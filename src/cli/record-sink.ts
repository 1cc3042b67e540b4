import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { RecPushError } from "../model/failure.ts";
import type { RecordSink } from "../run/check.ts";

/** Opens the output of `--records`: a file, or standard output for `-`. Throws {@link RecPushError} of kind `machine`. */
export async function openRecordSink(destination: string, stdout: Writable): Promise<RecordSink> {
  return destination === "-" ? streamSink(stdout) : fileSink(destination);
}

function streamSink(stdout: Writable): RecordSink {
  return {
    // A reader that has closed the pipe (`| head`) needs no more.
    write: (text) => new Promise((resolve) => void stdout.write(text, (error) => resolve(error == null))),
    close: () => Promise.resolve(),
  };
}

async function fileSink(path: string): Promise<RecordSink> {
  const fault = (cause: unknown): RecPushError => {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    return new RecPushError("machine", "records-file", `cannot write the records to ${path}: ${code}`, {
      cause,
    });
  };
  const file = await open(path, "w").catch((cause: unknown) => {
    throw fault(cause);
  });
  return {
    async write(text) {
      await file.appendFile(text).catch((cause: unknown) => {
        throw fault(cause);
      });
      return true;
    },
    close: () => file.close(),
  };
}
