import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { RecPushError } from "../../model/failure.ts";
import { steadyMs } from "../../model/steady-ms.ts";
import { check, type RecordSink } from "../../push/check.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { applyConfig } from "../config/apply-config.ts";
import type { CommandLine } from "../program.ts";
import { finishRun, openReporter } from "../reporting.ts";
import { type Io, listenForStop, namesOf, requestOf } from "../run-settings.ts";
import { adviseInit, nameRun } from "../sending.ts";

/** `rec-push check`: surveys and reports, sends nothing, keeps nothing. */
export async function runCheck({ files: typed, options }: CommandLine, io: Io): Promise<number> {
  const startedMs = steadyMs();
  const { files, notices } = await chooseFiles(typed);
  const configured = await applyConfig(options, io);
  const { records, table = "" } = configured.values;
  const request = {
    ...requestOf(files, configured, io),
    openRecords: records === undefined ? undefined : () => openRecordSink(records, io.stdout),
  };
  const reporter = await openReporter(configured.values, io, true);
  const stop = listenForStop(io, 0, () => undefined);
  try {
    const { drain, abort, received } = stop;
    const run = nameRun();
    reporter.emit({ kind: "run", run, table, url: "", files: namesOf(request), configs: configured.uses });
    for (const text of notices) reporter.emit({ kind: "notice", notice: { text } });
    const end = await check(request, {
      stdin: () => io.stdin,
      drain,
      abort,
      received,
      emit: reporter.emit,
      caughtUp: reporter.caughtUp,
    });
    const asked = { files, table: configured.values.table, line: options, configs: configured.uses };
    const failure = adviseInit(end.failure, asked);
    return finishRun(reporter, { ...end, failure }, { run, startedMs, signal: stop.received() });
  } finally {
    stop.release();
    reporter.close();
  }
}

/** Opens the output of `--records`: a file, or standard output for `-`. Throws {@link RecPushError} of kind `machine`. */
async function openRecordSink(destination: string, stdout: Writable): Promise<RecordSink> {
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
