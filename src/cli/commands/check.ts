import { check } from "../../run/check.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { applyConfig } from "../config/apply-config.ts";
import { finishRun } from "../finish.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";
import { openRecordSink } from "../record-sink.ts";
import { adviseInit } from "../advise-init.ts";
import { openReporter } from "../reporting.ts";
import { nameRun } from "../run-name.ts";
import { namesOf, requestOf } from "../run-settings.ts";
import { listenForStop } from "../signals.ts";
import { steadyMs } from "../../model/steady-ms.ts";

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
