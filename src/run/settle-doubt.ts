import { exitCode } from "../model/exit-code.ts";
import type { RunEnd } from "../model/run-end.ts";
import { countRun } from "../journal/count-run.ts";
import { decideDoubt, whyNothingIsDecided, type DoubtDecision } from "../journal/doubt-decision.ts";
import { RecPushError } from "../model/failure.ts";
import { rowsLeftOut } from "../journal/summarise-run.ts";
import { lookAtInput } from "../finish/input-now.ts";
import { removeDoubtFiles } from "../finish/doubt-files.ts";
import { areSettledSince } from "../finish/holds-unmended.ts";
import type { StoredRun } from "../journal/run-store.ts";
import type { RetoldRun } from "./retell-run.ts";
import { OpenRun } from "../journal/open-run.ts";
import { closeFinished } from "../journal/close-finished.ts";
import { findRun } from "../journal/find-runs.ts";
import type { RunKeeping } from "./start-run.ts";
import { tallyRun } from "./tally-run.ts";

/**
 * Applies the user's decision to a run that has nothing left to send, and returns the state of the run after it.
 * `retell` brings its files up to date, after the decision and before the run is closed.
 */
export async function settleDoubt(
  keeping: Pick<RunKeeping, "state" | "lock">,
  name: string,
  decision: DoubtDecision | undefined,
  tell: (text: string) => void,
  retell: (stored: StoredRun) => Promise<RetoldRun> = async () => ({ doubtFiles: [] }),
): Promise<RunEnd> {
  // Read with the lock held, because another process may have continued it in the meantime.
  const stored = await findRun(keeping.state, name);
  const { account, facts } = stored;
  const { rejected, skipped } = rowsLeftOut(facts, account);
  const { read } = facts.totals;
  let retold: RetoldRun | undefined;
  if (decision !== undefined && account.doubt !== decision.doubt)
    tell(whyNothingIsDecided(name, account, decision));
  else if (decision?.inDoubt === "resend") throw movedOn(name);
  else if (decision !== undefined) {
    const run = await OpenRun.resume(keeping, stored);
    try {
      await decideDoubt(run, decision);
      retold = await retell(stored);
      await removeDoubtFiles(stored.directory, account);
      const counts = countRun(account, { read, rejected, skipped });
      const code = exitCode({ counts, failure: undefined, signal: undefined });
      await run.end({ exitCode: code, read, counts, reason: "" });
    } finally {
      await run.close();
    }
  }
  const { doubtFiles, rejectsFiles = [], notice } = retold ?? (await retell(stored));
  if (notice !== undefined) tell(notice);
  await closeFinished(keeping.state, facts.identity.url);
  const tally = tallyRun(stored);
  tally.runs.push(facts.run);
  const inputNow = await lookAtInput(stored);
  tally.noteDoubt({ run: facts.run, file: facts.file, inputNow }, account, tally.counts);
  const isSettledSince = rejectsFiles.length === 0 && (await areSettledSince(keeping.state, stored));
  return { ...tally.end([], undefined), doubtFiles, rejectsFiles, isSettledSince };
}

/** Another process has gone on with the run since this command looked at it. */
function movedOn(run: string): RecPushError {
  return new RecPushError(
    "locked",
    "run-in-use",
    `another command has gone on with the run ${run} in the meantime; nothing is decided`,
    { hint: "run the same command again" },
  );
}
