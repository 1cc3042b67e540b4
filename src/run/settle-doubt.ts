import { exitCode } from "../model/exit-code.ts";
import type { RunEnd } from "../model/run-end.ts";
import { countRun } from "../journal/count-run.ts";
import { decideDoubt, refuseDecided, type DoubtDecision } from "../journal/decide-doubt.ts";
import { rowsLeftOut } from "../journal/summarise-run.ts";
import { OpenRun } from "../journal/open-run.ts";
import { findRun } from "../journal/find-runs.ts";
import type { RunKeeping } from "./start-run.ts";
import { Tally } from "./tally.ts";

/** Applies the user's decision to a run that has nothing left to send, and gives the state of the run after it. */
export async function settleDoubt(
  keeping: Pick<RunKeeping, "state" | "fence">,
  name: string,
  decision: DoubtDecision | undefined,
  tell: (text: string) => void,
): Promise<RunEnd> {
  // Read with the lock held: another process may have gone on with it meanwhile.
  const stored = await findRun(keeping.state, name);
  const { account, facts } = stored;
  const { totals } = facts;
  const { rejected, skipped } = rowsLeftOut(facts, account);
  const read = totals?.read ?? account.ending?.read ?? account.settled;
  const tally = new Tally();
  refuseDecided(stored, decision);
  if (decision !== undefined && account.count("inDoubt") > 0) {
    const run = await OpenRun.resume(keeping, stored);
    try {
      const undecided = await decideDoubt(run, decision);
      if (undecided !== undefined) tell(undecided);
      const counts = countRun(account, { read, rejected, skipped });
      const code = exitCode({ counts, failure: undefined, signal: undefined });
      await run.end({ exitCode: code, read, counts, reason: "" });
    } finally {
      await run.close();
    }
  }
  tally.addRead(read);
  tally.move("rejected", rejected);
  tally.move("skipped", skipped);
  tally.restore(facts.file, account, true);
  tally.runs.push(facts.run);
  return tally.end([], undefined);
}
