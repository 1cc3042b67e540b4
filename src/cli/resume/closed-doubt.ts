import { join } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { EXIT } from "../../model/exit-code.ts";
import { showCount } from "../../model/quantities.ts";
import { loadRun, type StoredRun } from "../../journal/run-store.ts";
import { findClosedDoubt, settleClosedDoubt } from "../../ledger/settle-closed-doubt.ts";
import type { InDoubt } from "../../options/parse-in-doubt.ts";
import { removeDoubtFiles } from "../../finish/doubt-files.ts";
import { withLock } from "../../run/abandon-run.ts";
import type { RetoldRun } from "../../run/retell-run.ts";
import type { StateDirectory } from "../../state/state-directory.ts";
import type { Io } from "../io.ts";

/**
 * The user's decision on what a closed run left in doubt: only the ledger still knows of it. `retell` brings the results
 * of the run up to date, if it has any.
 */
export async function resumeClosed(
  state: StateDirectory,
  run: string,
  url: string,
  decision: InDoubt,
  io: Io,
  retell?: (stored: StoredRun) => Promise<RetoldRun>,
): Promise<number> {
  return withLock(state, url, url, async () => {
    const file = await findClosedDoubt(state, run);
    if (file === undefined)
      throw new RecPushError("usage", "not-open", `the run ${run} is closed, and left nothing in doubt`);
    const { doubtful, doubt = "" } = file.facts;
    if (doubtful === 0) {
      io.stdout.write(`the doubt ${doubt} of the run ${run} was decided before: nothing is left to do\n`);
      return EXIT.ok;
    }
    const answer = decision.kind === "answer" && decision.doubt === doubt ? decision.answer : undefined;
    if (answer === undefined || answer === "resend") return tellUndecided(run, doubt, decision, io);
    await settleClosedDoubt(state, file, answer);
    const stored = await loadRun(state, run).catch(() => undefined);
    if (stored !== undefined) {
      await removeDoubtFiles(join(state.runs, run), undefined);
      // Its journal is closed: the decision is not noted there.
      const at = new Date().toISOString();
      stored.account.take({ entry: "decision", doubt, inDoubt: answer, at }, { number: 0, sum: 0 });
      const { notice } = (await retell?.(stored)) ?? {};
      if (notice !== undefined) io.stderr.write(`${notice}\n`);
    }
    const isOne = doubtful === 1;
    const applied = isOne ? "counts as created" : "count as created";
    const absent = isOne
      ? "is forgotten: a push that holds it creates it"
      : "are forgotten: a push that holds them creates them";
    io.stdout.write(
      `${showCount(doubtful, "create")} of the run ${run} ${answer === "applied" ? applied : absent}\n`,
    );
    return EXIT.ok;
  });
}

/** A closed run sends nothing: its rows in doubt can only be decided on together. */
function tellUndecided(run: string, doubt: string, decision: InDoubt, { stderr }: Io): number {
  const sends = decision.kind === "file" || decision.doubt === doubt;
  const why = sends
    ? `the run ${run} is closed: it sends nothing any more, so nothing is decided`
    : `${decision.doubt} is not in doubt in the run ${run}, which is closed: nothing is decided`;
  stderr.write(
    `error: ${why}\n  Next: if its records in doubt are in the service: rec-push resume ${run} --in-doubt ${doubt}=applied\n  Next: if they are not: rec-push resume ${run} --in-doubt ${doubt}=absent, then push the file again, which creates them\n`,
  );
  return EXIT.inDoubt;
}
