import type { RunEnd } from "../model/run-end.ts";
import { given } from "../options/given.ts";
import type { OptionValues } from "../options/table.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { TableLock } from "../state/table-lock.ts";
import type { Reporter } from "../report/reporter.ts";
import { finishRun, type Called } from "./finish.ts";
import type { Io } from "./io.ts";
import { notStarted } from "./not-started.ts";
import { openReporter } from "./reporting.ts";
import { listenForStop } from "./signals.ts";
import { withTableLock } from "./table-locking.ts";
import { steadyMs } from "../model/steady-ms.ts";

/** A command on a run that sends nothing. */
export interface QuietCommand {
  readonly state: StateDirectory;
  readonly values: OptionValues;
  readonly run: string;
  readonly url: string;
  readonly table: string;
  readonly files: readonly string[];
  /** For the command that pushes mended rejects. */
  readonly called?: Called;
}

/** Works on a run under its table's lock and reports the state of the run; returns the exit code. */
export async function tellEnd(
  { state, values, run, url, table, files, called }: QuietCommand,
  work: (emit: Reporter["emit"], lock: TableLock) => Promise<RunEnd>,
  io: Io,
): Promise<number> {
  const startedMs = steadyMs();
  const { waitLock: waitMs = 0 } = values;
  const reporter = await openReporter(values, io, false);
  const stop = listenForStop(io, 0, () => undefined);
  try {
    reporter.emit({ kind: "run", run, table, url, files });
    const end = await withTableLock(
      state,
      { url, table },
      waitMs,
      stop.drain,
      (lock) => work(reporter.emit, lock),
      notStarted,
    );
    return finishRun(reporter, end, { run, startedMs, signal: stop.received(), ...given({ called }) });
  } finally {
    stop.release();
    reporter.close();
  }
}
