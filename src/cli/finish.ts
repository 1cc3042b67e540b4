import { exitCode, type StopSignal } from "../model/exit-code.ts";
import type { RejectsFile, RunEnd } from "../model/run-end.ts";
import type { SettledPush } from "../options/declaration.ts";
import { mendCommand, secretFlags } from "../options/mend-command.ts";
import type { RejectsHint } from "../report/mend-steps.ts";
import { adviseNext } from "../report/next-steps.ts";
import type { Reporter } from "../report/reporter.ts";
import { steadyMs } from "../model/steady-ms.ts";

/** How a push was called. */
export type Called = Omit<SettledPush, "survey">;

/** Reports how a run ended and returns the exit code. */
export function finishRun(
  reporter: Reporter,
  end: RunEnd,
  about: {
    readonly run: string;
    readonly startedMs: number;
    readonly signal: StopSignal | undefined;
    /** For the printed command that pushes mended rejects. */
    readonly called?: Called;
  },
): number {
  const code = exitCode({ ...end, signal: about.signal });
  const {
    read,
    counts,
    batches,
    whereabouts,
    unpinned,
    failure,
    runs,
    openRuns,
    rejectsFiles = [],
    doubtFiles = [],
  } = end;
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
      ms: Math.round(steadyMs() - about.startedMs),
      exitCode: code,
      rejectsFiles: rejectsFiles.map(({ file, path, rows, later }) => ({ file, path, rows, later })),
      doubtFiles,
      ...adviseNext(end, code, end.plan === undefined ? mendsOf(rejectsFiles, about.called) : []),
    },
  });
  reporter.close();
  return code;
}

function mendsOf(files: readonly RejectsFile[], called: Called | undefined): readonly RejectsHint[] {
  if (called === undefined) return [];
  return files.map((file) => ({
    ...file,
    isOfWorkbook: file.survey.reading.format === "xlsx",
    command: mendCommand(file, called),
    leftOut: secretFlags(called.line),
  }));
}
