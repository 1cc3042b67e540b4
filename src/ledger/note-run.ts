import { join } from "node:path";
import type { RunAccount } from "../journal/run-account.ts";
import type { RunFacts } from "../journal/run-facts.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { noteCreated } from "./created-index.ts";
import { scanJournal } from "./journal-creates.ts";
import { ledgerDirectory, targetOf } from "./ledger-directory.ts";
import { widthOf, writeLedgerFile, type Origin } from "./ledger-file.ts";

/**
 * Puts the creates of a closed run into the ledger of its target, after which its journal may be removed. To be
 * called before the run is marked as closed. `isLate`: called by another command than the one that pushed the run, or
 * for a shard of a plan that left rows.
 */
export async function noteRun(
  state: StateDirectory,
  facts: RunFacts,
  account: RunAccount,
  journal: string,
  isLate: boolean,
): Promise<void> {
  if (!account.hasCreates) return;
  const origin = originOf(facts, account, isLate);
  const width = widthOf(origin);
  await noteCreated(state, facts, account);
  const path = join(ledgerDirectory(state, facts.identity), facts.run);
  const counted = { ...origin, certain: 0, doubtful: 0 };
  await writeLedgerFile(path, counted, async (put) => {
    await scanJournal(journal, account, width, (bytes, at, isDoubtful) => {
      if (isDoubtful) {
        counted.doubtful += 1;
        return;
      }
      counted.certain += 1;
      put(bytes, at);
    });
    if (counted.doubtful === 0) return;
    await scanJournal(journal, account, width, (bytes, at, isDoubtful) => {
      if (isDoubtful) put(bytes, at);
    });
  });
}

/**
 * The ledger entry for the creates of a run. `isLate`: the command that pushed it was cut off before it could say how
 * it ended, or its plan left rows, so its user may deliver the rows again.
 */
export function originOf(
  { run, startedAt, file, identity, compared, totals, isRowsFile }: RunFacts,
  account: RunAccount,
  isLate: boolean,
): Origin {
  // A later push may have sent the rows that this run had left unsent, so they count even if all is settled now.
  const isWhole =
    !isLate &&
    account.ending !== undefined &&
    !account.isAbandoned &&
    account.processes === 1 &&
    !account.hasLeftDoubt &&
    account.count("refused") + account.count("inDoubt") + account.ending.counts.notSent === 0 &&
    totals.rejected === 0;
  return {
    kind: "created",
    run,
    startedAt,
    file,
    dbVersion: identity.dbVersion,
    content: identity.content,
    target: targetOf(identity),
    leavesRows: !isWhole || isRowsFile === true,
    ...(account.doubt === undefined ? {} : { doubt: account.doubt }),
    ...(totals.updates > 0 ? { updates: totals.updates } : {}),
    ...compared,
  };
}
