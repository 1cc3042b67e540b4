import { check } from "../../run/check.ts";
import { finishRun } from "../finish.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";
import { isSet, textOf } from "../raw-options.ts";
import { readReadOptions } from "../read-settings.ts";
import { readFieldOptions, readOnRepeat } from "../record-settings.ts";
import { openRecordSink } from "../record-sink.ts";
import { openReporter } from "../reporting.ts";
import { nameRun } from "../run-name.ts";
import { listenForStop } from "../signals.ts";

/** `rec-push check` and `--dry-run`: surveys and reports, sends nothing, leaves nothing behind. */
export async function runCheck({ files, options }: CommandLine, io: Io): Promise<number> {
  const startedMs = performance.now();
  const records = textOf(options, "records");
  const request = {
    files,
    read: readReadOptions(options),
    fields: readFieldOptions(options),
    onInvalid: textOf(options, "onInvalid") === "skip" ? ("skip" as const) : ("stop" as const),
    onRepeat: readOnRepeat(options),
    isPinned: isSet(options, "pinned"),
    openRecords: records === undefined ? undefined : () => openRecordSink(records, io.stdout),
  };
  const reporter = await openReporter(options, io, true);
  const stop = listenForStop(io, 0, () => undefined);
  try {
    const { drain, abort } = stop;
    const run = nameRun();
    if (isSet(options, "json"))
      reporter.emit({ kind: "run", run, table: textOf(options, "table") ?? "", url: "", files });
    const end = await check(request, { stdin: io.stdin, drain, abort, emit: reporter.emit });
    return finishRun(reporter, end, { run, startedMs, signal: stop.received() });
  } finally {
    stop.release();
    reporter.close();
  }
}
