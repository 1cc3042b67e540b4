import type { RunEnd } from "../model/run-end.ts";
import { adviseNext } from "../report/next-steps.ts";
import type { Reporter } from "../report/reporter.ts";
import { exitCode } from "./exit-code.ts";
import type { StopSignal } from "./io.ts";

/** Tells how a run ended and gives the exit code. */
export function finishRun(
  reporter: Reporter,
  end: RunEnd,
  about: { readonly run: string; readonly startedMs: number; readonly signal: StopSignal | undefined },
): number {
  const code = exitCode({ ...end, signal: about.signal });
  const { read, counts, batches, whereabouts, unpinned, failure, runs, openRuns } = end;
  if (failure !== undefined) reporter.fail(failure);
  reporter.emit({
    kind: "summary",
    summary: {
      run: runs[0] ?? about.run,
      runs,
      openRuns,
      read,
      counts,
      batches,
      whereabouts,
      unpinned,
      ms: Math.round(performance.now() - about.startedMs),
      exitCode: code,
      ...adviseNext(end, code),
    },
  });
  reporter.close();
  return code;
}
