import { exitCode } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { changeLedger } from "../../push/change-ledger.ts";
import { openStateDirectory } from "../../store/state-directory.ts";
import { applyConfig } from "../config/apply-config.ts";
import { exportsOf, readBookTarget } from "../keeping.ts";
import type { CommandLine } from "../command-line.ts";
import { openReporter } from "../reporting.ts";
import { type Io, requestOf, stateRoot } from "../run-settings.ts";
import { inSession, nameRun, notStarted } from "../session.ts";

/** `rec-push ledger add|remove FILES`: says which creates are already in the service, or no longer there. */
export async function runLedger({ files: words, options }: CommandLine, io: Io): Promise<number> {
  const [action, ...files] = words;
  if (action !== "add" && action !== "remove") throw wrongAction(action);
  if (files.length === 0)
    throw new RecPushError("wrong-usage", "no file", {
      hint: `name the files that hold the records: rec-push ledger ${action} FILE --table NAME`,
    });
  const configured = await applyConfig(options, io);
  const { values } = configured;
  const { table, target } = readBookTarget(values);
  const request = requestOf(files, configured, io);
  const state = await openStateDirectory(stateRoot(values, io));
  const reporter = await openReporter(values, io, false);
  const tell = (text: string): void => reporter.emit({ event: "notice", text, isAlwaysShown: true });
  const change = { action, state, target, exports: exportsOf(values), nameRun, tell } as const;
  return inSession({ reporter, values, io }, async ({ control, locked }) => {
    const end = await locked(
      state,
      { ...target, table },
      (lock) => changeLedger(request, { ...change, lock }, control),
      notStarted,
    );
    if (end.failure !== undefined) reporter.fail(end.failure);
    return exitCode({ ...end, signal: control.received() });
  });
}

function wrongAction(action: string | undefined): RecPushError {
  return new RecPushError("wrong-usage", `rec-push ledger ${action ?? ""}: add or remove?`, {
    hint: [
      "rec-push ledger add FILE --table NAME        its creates are already in the service",
      "rec-push ledger remove FILE --table NAME     they are no longer there: a later push creates them again",
    ].join("\n"),
  });
}
