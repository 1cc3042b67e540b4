import { resolve } from "node:path";
import type { RunEvent } from "../model/event.ts";
import type { MendCommandOf } from "../files/rows-files.ts";
import { exitCode, placeOf, type RunEnd, type StopSignal } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import type { SettledPush } from "../options/declaration.ts";
import { absoluteLine, mendCommand, secretFlags } from "../options/derive.ts";
import type { OptionValues } from "../options/table.ts";
import { adviseNext } from "../report/advice.ts";
import { createPlainProgress, createTerminalProgress } from "../report/progress.ts";
import { joinReporters, listenTo, type Reporter } from "../report/reporter.ts";
import { openPaint, PLAIN_PAINT, type Progress, SILENT_PROGRESS } from "../report/terminal-lines.ts";
import { type Io, namedState, namingState } from "./run-settings.ts";

/**
 * The reporter that the output options ask for: the screen and, in addition, a log, a report and what a job of GitHub
 * Actions shows.
 */
export async function openReporter(
  values: OptionValues,
  io: Io,
  isCheck: boolean,
  isPlan = isCheck,
): Promise<Reporter> {
  const { logFile, report: reportName } = values;
  // First, so that nothing begins if its log cannot be written.
  const log = logFile === undefined ? [] : [await openLog(resolve(io.cwd, logFile), values, io, isCheck)];
  const others: Reporter[] = [];
  if (reportName !== undefined) {
    const { openReport } = await import("./output-places.ts");
    others.push(await openReport(reportName, io, isCheck));
  }
  if (io.env["GITHUB_ACTIONS"] === "true" && io.program === undefined) {
    const { createGithubReporter } = await import("../report/github-reporter.ts");
    others.push(createGithubReporter({ ...io, workspace: io.env["GITHUB_WORKSPACE"] }));
  }
  const screen = io.program ?? (await openScreen(values, io, isCheck, isPlan));
  return namingState(joinReporters([screen, ...log, ...others]), namedState(values, io));
}

async function openScreen(
  values: OptionValues,
  io: Io,
  isCheck: boolean,
  isPlan: boolean,
): Promise<Reporter> {
  const { records, json = false, quiet = false, verbose = false } = values;
  // With `--records -` standard output belongs to the records.
  const results = records === "-" ? io.stderr : io.stdout;
  const events = json ? [await openEvents(results, io)] : [];
  // Words between events on the same stream would not be JSON.
  if (json && (quiet || results === io.stderr)) return events[0]!;
  const { createTextReporter } = await import("../report/text-reporter.ts");
  const shown = json ? io.stderr : results;
  const words = createTextReporter({
    results: shown,
    remarks: io.stderr,
    progress: await openProgress(values, io),
    paint: {
      results: await openPaint(shown, io.env, values.color),
      remarks: await openPaint(io.stderr, io.env, values.color),
    },
    amount: json ? "brief" : quiet ? "quiet" : verbose ? "verbose" : "normal",
    isCheck,
    isPlan,
  });
  return joinReporters([...events, words]);
}

/** Events that are shown at once, because a person waits for them. */
const LIVE: ReadonlySet<RunEvent["event"]> = new Set(["surveying", "waiting"]);

/** A reporter that holds events back until it is certain whether a question comes first. */
export function holdBack(reporter: Reporter) {
  let held: RunEvent[] | undefined = [];
  /** Reports the events that were held, and from then on each event at once. */
  const release = (): void => {
    const kept = held ?? [];
    held = undefined;
    for (const event of kept) reporter.emit(event);
  };
  return {
    ...reporter,
    emit: (event: RunEvent) => {
      if (held === undefined || LIVE.has(event.event)) reporter.emit(event);
      else held.push(event);
    },
    fail(failure: RecPushError) {
      release();
      reporter.fail(failure);
    },
    release,
    /** Reports the rows that a question is about, and drops the other events. */
    releaseRows() {
      const kept = held ?? [];
      held = [];
      for (const event of kept)
        if (event.event === "problems" || event.event === "reject") reporter.emit(event);
    },
  };
}

async function openEvents(
  stream: { write(line: string): unknown },
  { now }: Pick<Io, "now">,
): Promise<Reporter> {
  const { createJsonReporter } = await import("../report/json-event.ts");
  return createJsonReporter(stream, now);
}

/** The log holds everything that `--verbose` shows, in words or as events. */
async function openLog(
  path: string,
  { json = false }: OptionValues,
  io: Io,
  isCheck: boolean,
): Promise<Reporter> {
  const { openLogFile } = await import("../report/log-file.ts");
  const { stream, close } = openLogFile(path, {
    stamp: () => (json ? "" : `${io.now().toISOString()} `),
    onLost: (reason) => io.stderr.write(`the log ${path} is not complete: ${reason}\n`),
  });
  const closing = listenTo({}, { close });
  if (json) return joinReporters([await openEvents(stream, io), closing]);
  const tellExit = (code?: number): void => void (code !== undefined && stream.write(`exit ${code}\n`));
  const { createTextReporter } = await import("../report/text-reporter.ts");
  const text = createTextReporter({
    results: stream,
    remarks: stream,
    progress: createPlainProgress(stream),
    paint: { results: PLAIN_PAINT, remarks: PLAIN_PAINT },
    amount: "verbose",
    isCheck,
  });
  return joinReporters([text, listenTo({}, { close: tellExit }), closing]);
}

async function openProgress(
  { json = false, quiet = false, progress = true }: OptionValues,
  io: Io,
): Promise<Progress> {
  if (json || quiet || !progress) return SILENT_PROGRESS;
  // A CI machine may offer a terminal, but what it keeps is a log.
  const isDrawable = io.stderr.isTTY === true && io.env["TERM"] !== "dumb" && io.env["CI"] === undefined;
  if (!isDrawable) return createPlainProgress(io.stderr);
  return createTerminalProgress(io.stderr);
}

/** Makes the commands that push the rejects of a push once they are mended. */
export function mendingOf(push: Omit<SettledPush, "survey">, cwd: string): MendCommandOf {
  const away = { ...push, line: absoluteLine(push.line, cwd) };
  return (path, survey) => {
    const about = { leftOut: secretFlags(push.line), isOfWorkbook: survey.reading.format === "xlsx" };
    return {
      here: { command: mendCommand(path, { ...push, survey }), ...about },
      anywhere: { command: mendCommand(resolve(cwd, path), { ...away, survey }), ...about },
    };
  };
}

/** Reports how a run ended and returns the exit code. */
export function finishRun(
  reporter: Reporter,
  end: RunEnd,
  about: {
    readonly run: string;
    readonly startedMs: number;
    readonly signal: StopSignal | undefined;
  },
): number {
  const code = exitCode({ ...end, signal: about.signal });
  const { failure, read, counts, batches, runs, openRuns, unpinned, doubts } = end;
  const { rejectsFiles = [], doubtFiles = [] } = end;
  if (failure !== undefined) reporter.fail(failure);
  reporter.emit({
    event: "summary",
    run: runs[0] ?? about.run,
    runs,
    openRuns,
    read,
    ...counts,
    batches,
    inDoubtAt: doubts.flatMap(({ run, file, doubts }) =>
      doubts.map((doubt) => placeOf({ run, file }, doubt)),
    ),
    unpinned,
    doubtFiles,
    ms: Math.round(performance.now() - about.startedMs),
    exitCode: code,
    rejectsFiles: rejectsFiles.map(({ file, path, rows, later }) => ({ file, path, rows, later })),
    ...adviseNext(end, code, end.plan === undefined ? rejectsFiles : []),
  });
  reporter.close(code);
  return code;
}
