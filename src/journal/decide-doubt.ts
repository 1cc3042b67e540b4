import { RecPushError } from "../model/failure.ts";
import type { DoubtDecision } from "./doubt-decision.ts";
import type { InDoubtAnswer } from "./journal-entry.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { OpenRun } from "./open-run.ts";
import { runningProcess } from "./running-process.ts";
import type { StoredRun } from "./run-store.ts";

/**
 * A decision on the records in doubt now; to be made before the table's lock is waited for. Throws a locked error while
 * a process pushes the run: nobody can know yet what will be in doubt.
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
    `the run ${run} is being pushed (process ${pid} on ${host}): what is in doubt is known once it has ended`,
    { hint: "wait until it has ended, look in the service, then decide" },
  );
}

/** Throws usage if another command has decided since the user typed: of two commands at once, only one decides. */
export function refuseDecided({ run, account }: StoredRun, decision: DoubtDecision | undefined): void {
  if (decision === undefined || decision.after === account.decisions) return;
  throw new RecPushError(
    "usage",
    "decided-meanwhile",
    `another command has decided on the records in doubt of the run ${run} meanwhile; this one decided nothing`,
    { hint: `rec-push runs ${run} tells how it stands now` },
  );
}

/**
 * Writes a decision to the run's journal. If it must not count, gives the reason instead: records came into doubt
 * while an earlier decision was carried out, and the process ended before it could say so.
 */
export async function decideDoubt(run: OpenRun, decision: DoubtDecision): Promise<string | undefined> {
  const { account, name } = run;
  if (!account.hasUntoldDoubt) {
    await run.decide(decision);
    return undefined;
  }
  const records = account.count("inDoubt");
  return `the last command that settled the doubt of the run ${name} was cut off while it sent again: ${records} ${records === 1 ? "record is" : "records are"} in doubt since, and nothing is decided on them yet; look in the service again, then decide`;
}
