import type { RunEnd } from "../model/run-end.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { Reporter } from "../report/reporter.ts";
import { finishRun } from "./finish.ts";
import type { Io } from "./io.ts";
import type { RawOptions } from "./program.ts";
import { parsed } from "./raw-options.ts";
import { openReporter } from "./reporting.ts";
import { listenForStop } from "./signals.ts";
import { withTableLock } from "./table-locking.ts";
import { parseDuration } from "./values.ts";

/** A command on a run that sends nothing. */
export interface QuietCommand {
  readonly state: StateDirectory;
  readonly options: RawOptions;
  readonly run: string;
  readonly url: string;
  readonly table: string;
  readonly files: readonly string[];
}

/** Does something with a run while its table is locked, and tells how the run stands; gives the exit code. */
export async function tellEnd(
  { state, options, run, url, table, files }: QuietCommand,
  work: (emit: Reporter["emit"]) => Promise<RunEnd>,
  io: Io,
): Promise<number> {
  const startedMs = performance.now();
  const waitMs = parsed(options, "waitLock", parseDuration) ?? 0;
  const reporter = await openReporter(options, io, false);
  const stop = listenForStop(io, 0, () => undefined);
  try {
    reporter.emit({ kind: "run", run, table, url, files });
    const end = await withTableLock(state, { url, table }, waitMs, stop.drain, () => work(reporter.emit));
    return finishRun(reporter, end, { run, startedMs, signal: stop.received() });
  } finally {
    stop.release();
    reporter.close();
  }
}
