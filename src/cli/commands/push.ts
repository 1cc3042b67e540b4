import { RecPushError } from "../../model/failure.ts";
import { push } from "../../run/push.ts";
import { createSendSession } from "../../send/send-session.ts";
import { displayUrl } from "../../send/target.ts";
import { applyConfig } from "../config/apply-config.ts";
import { finishRun } from "../finish.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";
import { isSet, parsed, textOf } from "../raw-options.ts";
import { openReporter } from "../reporting.ts";
import { nameRun } from "../run-name.ts";
import { readRunRequest } from "../run-settings.ts";
import { openSandboxRun } from "../sandbox-run.ts";
import { createRedactor } from "../secrets.ts";
import { readSendSettings } from "../send-settings.ts";
import { listenForStop } from "../signals.ts";
import { readTarget } from "../target-settings.ts";
import { parseDuration } from "../values.ts";
import { readVersion } from "../version.ts";
import { runCheck } from "./check.ts";

/** What requests in flight get after a signal, unless `--grace` says otherwise. */
const DEFAULT_GRACE_MS = 25_000;

/** The main job: survey the files, send their records, tell what became of them. */
export async function runPush(line: CommandLine, io: Io): Promise<number> {
  const { files } = line;
  const startedMs = performance.now();
  if (isSet(line.options, "dryRun")) {
    if (line.options["survey"] === false) {
      throw new RecPushError("usage", "contradicting-options", "--dry-run is a survey, --no-survey is none");
    }
    return runCheck(line, io);
  }
  const { options, fields, target: profile, use } = await applyConfig(line.options, io);
  const table = textOf(options, "table");
  if (table === undefined) {
    throw new RecPushError("usage", "missing-table", "no table", {
      hint: "name the table to push to: --table NAME",
    });
  }
  const request = readRunRequest(files, options, fields);
  const graceMs = parsed(options, "grace", parseDuration) ?? DEFAULT_GRACE_MS;
  const sandbox = isSet(options, "sandbox") ? await openSandboxRun(options) : undefined;
  try {
    const target = await readTarget(options, table, io.env, sandbox, profile);
    const redact = createRedactor(target.secrets());
    const settings = readSendSettings(options, { redact, userAgent: `rec-push/${readVersion()}` });
    const reporter = await openReporter(options, io, false);
    const stop = listenForStop(io, graceMs, (signal) => {
      const text = `${signal}: no new batch is sent; requests in flight get ${Math.round(graceMs / 1000)} s; a second signal stops at once`;
      reporter.emit({ kind: "notice", notice: { text } });
    });
    try {
      const run = nameRun();
      reporter.emit({ kind: "run", run, table, url: displayUrl(target), files, config: use });
      const openSession = () => createSendSession({ target, settings });
      const { drain, abort } = stop;
      const end = await push(
        { ...request, openSession },
        { stdin: io.stdin, drain, abort, emit: reporter.emit },
      );
      const code = finishRun(reporter, end, { run, startedMs, signal: stop.received() });
      sandbox?.showTable(table, io.stdout);
      return code;
    } finally {
      stop.release();
      reporter.close();
    }
  } finally {
    await sandbox?.close();
  }
}
