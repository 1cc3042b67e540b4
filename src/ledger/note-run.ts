import type { Origin, Prints } from "../store/book-entries.ts";
import type { RunAccount } from "../store/count-run.ts";
import { StatesOfNumbers } from "../store/number-ranges.ts";
import { readJournal } from "../store/read-journal.ts";
import type { RunFacts } from "../store/run-facts.ts";
import { widthOf } from "./comparison-form.ts";
import { type TakePrint, writePrints } from "./ledger-file.ts";

/**
 * Prints the creates of a run, for the book of a table whose directory is `directory`; `undefined` if it made none. `mayComeAgain`:
 * its rows may come in another file, because its command was cut off, or it or its plan left rows.
 */
export async function printRun(
  directory: string,
  facts: RunFacts,
  account: RunAccount,
  journal: string,
  mayComeAgain: boolean,
): Promise<Prints | undefined> {
  if (!account.hasCreates) return undefined;
  const origin = originOf(facts, account, mayComeAgain);
  const width = widthOf(origin);
  const certain = account.countOf("create", "accepted");
  const doubtful = account.countOf("create", "inDoubt");
  return writePrints(directory, facts.run, { ...origin, certain, doubtful }, async (put) => {
    for (const areDoubtful of doubtful > 0 ? [false, true] : [false])
      await scanJournal(journal, account, width, (bytes, at, isDoubtful) => {
        if (isDoubtful === areDoubtful) put(bytes, at);
      });
  });
}

/**
 * The ledger entry for the creates of a run. `mayComeAgain`: see {@link printRun}.
 */
export function originOf(
  { run, startedAt, file, identity, compared, totals, rowsOf }: RunFacts,
  account: RunAccount,
  mayComeAgain: boolean,
): Origin {
  // A later push may have sent rows that this run left unsent, so these count even if all is settled now.
  const isWhole =
    !mayComeAgain &&
    account.ending !== undefined &&
    !account.isAbandoned &&
    account.processes === 1 &&
    !account.hasLeftDoubt &&
    account.count("accepted") + account.count("overtaken") + account.leftOut ===
      totals.updates + totals.creates &&
    totals.rejected === 0;
  return {
    kind: "created",
    run,
    startedAt,
    file,
    dbVersion: identity.dbVersion,
    content: identity.content,
    runKey: identity.runKey,
    leavesRows: !isWhole || rowsOf !== undefined,
    ...(account.doubt === undefined ? {} : { doubt: account.doubt }),
    ...(totals.updates > 0 ? { updates: totals.updates } : {}),
    ...compared,
  };
}

/**
 * Passes on the prints of the creates that the service accepted, or that are in doubt, each once. `width` is the size of a
 * print in bytes. `account` is that of the same journal.
 */
export async function scanJournal(
  path: string,
  account: RunAccount,
  width: number,
  take: TakePrint,
): Promise<void> {
  const seen = new StatesOfNumbers<"seen">();
  await readJournal(path, (entry) => {
    if (entry.entry !== "intent" || entry.kind !== "create") return;
    const prints = Buffer.from(entry.prints, "base64");
    let at = -width;
    for (const [first, last] of entry.ordinals) {
      for (let ordinal = first; ordinal <= last; ordinal++) {
        at += width;
        const standing = account.standingOf("create", ordinal);
        if ((standing !== "accepted" && standing !== "inDoubt") || seen.of(ordinal) !== undefined) continue;
        take(prints, at, standing === "inDoubt");
      }
      seen.set([first, last], "seen");
    }
  });
}
