import { constants, createWriteStream, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import type { RunEvent } from "../../model/event.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { lineWords } from "../../options/derive.ts";
import { steadyMs } from "../../model/steady-ms.ts";
import { check, type CheckRequest, type RecordSink, type RunRequest } from "../../push/check.ts";
import { openStateDirectory } from "../../store/state-directory.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { applyConfig, type Configured } from "../config/apply-config.ts";
import { factsOf } from "../kept-facts.ts";
import { readLedgerTarget } from "../ledger-target.ts";
import type { CommandLine } from "../program.ts";
import { finishRun, openReporter } from "../reporting.ts";
import { type Io, listenForStop, namesOf, requestOf, stateRoot } from "../run-settings.ts";
import { adviseInit, exportsOf, nameRun } from "../sending.ts";

/** `rec-push check`: surveys and reports, sends nothing, keeps nothing. */
export async function runCheck({ files: typed, options }: CommandLine, io: Io): Promise<number> {
  const startedMs = steadyMs();
  const { files, notices } = await chooseFiles(typed);
  const configured = await applyConfig(options, io);
  const { records, table = "" } = configured.values;
  const request = requestOf(files, configured, io);
  const openBook = await findBook(configured, request, options, io);
  const checked = {
    ...request,
    openRecords: records === undefined ? undefined : async () => openRecordSink(records, io.stdout),
  };
  const reporter = await openReporter(configured.values, io, true);
  const stop = listenForStop(io, 0, () => undefined);
  try {
    const { drain, abort, received } = stop;
    const run = nameRun();
    reporter.emit({ event: "run", run, table, url: "", files: namesOf(request), configs: configured.uses });
    for (const text of notices) reporter.emit({ event: "notice", text });
    const control = {
      stdin: () => io.stdin,
      drain,
      abort,
      received,
      emit: reporter.emit,
      caughtUp: reporter.caughtUp,
    };
    const end = await check({ ...checked, askBook: openBook?.(reporter.emit) }, control);
    const asked = { files, table: configured.values.table, line: options, configs: configured.uses };
    const failure = adviseInit(end.failure, asked);
    return finishRun(reporter, { ...end, failure }, { run, startedMs, signal: stop.received() });
  } finally {
    stop.release();
    reporter.close();
  }
}

/** How the book of the table is asked; `undefined` if no service is named, or nothing was ever pushed from here. */
async function findBook(
  configured: Configured,
  request: RunRequest,
  line: OptionTexts,
  io: Io,
): Promise<((emit: (event: RunEvent) => void) => CheckRequest["askBook"]) | undefined> {
  const { values } = configured;
  if (values.table === undefined || values.url === undefined) return undefined;
  const { table, shown, ledger } = readLedgerTarget(values, "");
  const root = stateRoot(values, io);
  if (!(await stat(root).catch(() => undefined))) return undefined;
  const keeping = {
    state: await openStateDirectory(root),
    target: ledger,
    facts: factsOf(configured, table, io.cwd),
    cwd: io.cwd,
    again: false,
    exports: exportsOf(values),
    staleOk: false,
    command: "",
    nameRun,
  };
  const { askBook } = await import("../../push/decide-inputs.ts");
  const asked = { ...request, keeping, shown, ledgerWords: lineWords(line, "ledger") };
  return (emit) => (inputs, directory) => askBook(inputs, asked, directory, emit);
}

/** What a write ends with once nobody reads any more. */
const LEFT: ReadonlySet<string | undefined> = new Set(["EPIPE", "ECONNRESET"]);

/** A link could lead to a file that another user wants to have overwritten. Windows has no such flag. */
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Opens the output of `--records`: a file, or standard output for `-`. Throws {@link RecPushError} of kind `machine`. */
function openRecordSink(destination: string, stdout: Writable): RecordSink {
  const isStdout = destination === "-";
  const place = isStdout ? "standard output" : destination;
  const stream = isStdout ? stdout : createWriteStream("", { fd: openForRecords(destination) });
  // Each write tells its own.
  if (!isStdout) stream.on("error", () => undefined);
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          // A reader that has closed the pipe (`| head`) needs no more records.
          if (error == null || (isStdout && LEFT.has(codeOf(error)))) resolve(error == null);
          else reject(cannotWrite(place, error));
        });
      }),
    close: () => (isStdout ? Promise.resolve() : new Promise((resolve) => void stream.end(() => resolve()))),
  };
}

function openForRecords(path: string): number {
  try {
    return openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
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
