import { join } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { EXIT } from "../../model/exit-code.ts";
import { showCount } from "../../model/quantities.ts";
import { loadRun, type StoredRun } from "../../journal/run-store.ts";
import { findClosedDoubt, settleClosedDoubt } from "../../ledger/settle-closed-doubt.ts";
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
  answer: "applied" | "absent",
  io: Io,
  retell?: (stored: StoredRun) => Promise<RetoldRun>,
): Promise<number> {
  return withLock(state, url, url, async () => {
    const file = await findClosedDoubt(state, run);
    if (file === undefined)
      throw new RecPushError("usage", "not-open", `the run ${run} is closed, and left nothing in doubt`);
    await settleClosedDoubt(state, file, answer);
    const stored = await loadRun(state, run).catch(() => undefined);
    if (stored !== undefined) {
      await removeDoubtFiles(join(state.runs, run), undefined);
      // Its journal is closed: the decision is not noted there.
      const at = new Date().toISOString();
      stored.account.take({ entry: "decision", inDoubt: answer, at, of: stored.account.inDoubt });
      const { notice } = (await retell?.(stored)) ?? {};
      if (notice !== undefined) io.stderr.write(`${notice}\n`);
    }
    const { doubtful } = file.facts;
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
export function refuseRows(run: string): never {
  throw new RecPushError(
    "usage",
    "not-open",
    `the run ${run} is closed: it sends nothing any more, so --in-doubt-file cannot be followed; nothing is decided`,
    {
      hint: `if its records in doubt are in the service: rec-push resume ${run} --in-doubt applied\nif they are not: rec-push resume ${run} --in-doubt absent, then push the file again, which creates them`,
    },
  );
}
