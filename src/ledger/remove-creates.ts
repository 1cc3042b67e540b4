import type { Prints } from "../store/book-entries.ts";
import type { Book } from "../store/book.ts";
import type { TableLock } from "../store/held-lock.ts";
import { placeOfHash } from "./comparison-form.ts";
import { type LedgerFile, openFiles, readRemoval, removePrints, writePrints } from "./ledger-file.ts";

/** True for a print of which the ledger holds more creates than were named. */
export type IsHeldMore = (bytes: Buffer, at: number) => boolean;

/**
 * Removes all creates that equal one of these, by their whole record or, where both have one, by their identity; again, it
 * removes nothing more. Returns how many there were. From then on the ledger decides about the content of their runs. If
 * the ledger holds more creates of a record than were named, it removes none and returns a test for those. `scan` passes on
 * the creates, which have hashes as `facts` says.
 */
export async function removeCreates(
  book: Book,
  lock: TableLock,
  facts: Omit<Prints, "name" | "sum">,
  scan: (take: (bytes: Buffer, at: number) => void) => Promise<void>,
  identity: readonly string[] | undefined,
): Promise<number | IsHeldMore> {
  const files = await openFiles(book, facts.runKey);
  const { prints, testOf } = await readRemoval(facts, identity, facts.certain, scan);
  // By print: how many more creates the ledger holds than were named.
  const held = new Int32Array(prints.most);
  await scan((bytes, at) => (held[prints.find(bytes, at)]! -= 1));
  let takenOut = 0;
  const removedFrom: LedgerFile[] = [];
  const emptied: LedgerFile[] = [];
  for (const file of files) {
    const isIn = testOf(file.facts);
    const isWhole = isCreates(file) && placeOfHash(file.facts, identity) === undefined;
    let [all, taken] = [0, 0];
    await file.scan((bytes, at) => {
      all += 1;
      if (!isIn(bytes, at)) return;
      taken += 1;
      if (isWhole) held[prints.find(bytes, at)]! += 1;
    });
    if (taken === 0) continue;
    removedFrom.push(file);
    if (isCreates(file)) takenOut += taken;
    // An empty set still records that a person added some.
    if (taken === all && file.facts.kind !== "added") emptied.push(file);
  }
  if (held.some((more) => more > 0))
    return (bytes, at) => {
      const slot = prints.find(bytes, at);
      return slot >= 0 && held[slot]! > 0;
    };
  if (removedFrom.length === 0) return 0;
  const name = `${facts.run}-removed`;
  const hashed = identity === undefined ? [] : [identity];
  const removed = await writePrints(book.directory, name, facts, scan, hashed);
  await book.append(lock, {
    entry: "prints",
    files: { ...Object.fromEntries(emptied.map(({ key }) => [key, null])), [name]: removed },
    removedFrom: removedFrom.map(({ key }) => key),
  });
  for (const file of emptied) await removePrints(book.directory, file.facts);
  return takenOut;
}

function isCreates({ facts: { kind } }: LedgerFile): boolean {
  return kind === "created" || kind === "added";
}

/** The user's word on the creates in doubt of a closed run: they are in the service, or they are not. */
export async function settleClosedDoubt(
  lock: TableLock,
  book: Book,
  prints: Prints,
  run: string,
  answer: "applied" | "absent",
): Promise<void> {
  const { certain, doubtful } = prints;
  const [settled, removal] =
    answer === "applied"
      ? [{ ...prints, certain: certain + doubtful, doubtful: 0 }, {}]
      : [{ ...prints, doubtful: 0, absent: doubtful }, { removedFrom: [run] }];
  await book.append(lock, {
    entry: "prints",
    files: { [run]: settled },
    ...removal,
    decided: { run, answer },
  });
}
