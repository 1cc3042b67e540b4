import { RecPushError } from "../model/failure.ts";
import type { DoubtDecision } from "./doubt-decision.ts";
import type { InDoubtAnswer } from "./journal-entry.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { OpenRun } from "./open-run.ts";
import { runningProcess } from "./running-process.ts";
import type { StoredRun } from "./run-store.ts";
import { isDoubtTold } from "./told-doubt.ts";

/**
 * A decision on the records that are in doubt now; to be made before waiting for the table's lock. Throws a locked
 * error while a process pushes the run, because it is not known yet what will be in doubt.
 */
export function decisionOn(stored: StoredRun, inDoubt: InDoubtAnswer): DoubtDecision {
  refuseRunning(stored);
  const { account } = stored;
  return { inDoubt, of: account.inDoubt, after: account.decisions };
}

/** Throws a locked error while a process pushes the run. */
export function refuseRunning({ run, account }: StoredRun): void {
  const running = runningProcess(account);
  if (running !== undefined) throw stillRunning(run, running);
}

function stillRunning(run: string, { pid, host }: ProcessIdentity): RecPushError {
  return new RecPushError(
    "locked",
    "run-in-use",
    `the run ${run} is being pushed (process ${pid} on ${host}): what is in doubt is not known until it has ended`,
    { hint: "wait until it has ended, check the service, then decide" },
  );
}

/**
 * Throws a usage error if another command has decided since the user typed this one: of two commands at once, only
 * one decides.
 */
export function refuseDecided({ run, account }: StoredRun, decision: DoubtDecision | undefined): void {
  if (decision === undefined || decision.after === account.decisions) return;
  throw new RecPushError(
    "usage",
    "decided-meanwhile",
    `another command has meanwhile decided on the records in doubt of the run ${run}; this one decided nothing`,
    { hint: `rec-push runs ${run} shows its present state` },
  );
}

/**
 * Writes a decision to the run's journal. Returns a reason instead if it must not count: records came into doubt
 * while an earlier decision was being carried out, and the process ended before it could say so.
 */
export async function decideDoubt(run: OpenRun, decision: DoubtDecision): Promise<string | undefined> {
  const { account, name, directory } = run;
  const records = account.count("inDoubt");
  // A file of rows in doubt names its doubt itself.
  const isKnown = records === 0 || decision.file !== undefined || (await isDoubtTold(directory, account));
  if (isKnown && !account.hasUntoldDoubt) {
    await run.decide(decision);
    return undefined;
  }
  return `the last command that settled the doubt of the run ${name} was cut off before it said how it ended: ${records} ${records === 1 ? "record has" : "records have"} been in doubt since, and nothing is decided on them yet; check the service again, then decide`;
}
