import { rowsLeftOut } from "../journal/summarise-run.ts";
import type { StoredRun } from "../journal/run-store.ts";
import { Tally } from "./tally.ts";

/** The rows of a run and what became of them, by its journal. */
export function tallyRun({ facts, account }: Pick<StoredRun, "facts" | "account">): Tally {
  const tally = new Tally();
  const { rejected, skipped } = rowsLeftOut(facts, account);
  tally.addRead(facts.totals.read);
  tally.move("rejected", rejected);
  tally.move("skipped", skipped);
  tally.restore(facts.file, account);
  return tally;
}
