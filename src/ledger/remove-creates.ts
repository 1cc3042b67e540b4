import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Prints, Removal } from "../store/book-entries.ts";
import type { Book, BookLock } from "../store/book.ts";
import { allBooks, bookOf } from "../store/find-books.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { PRINT_BYTES } from "./comparison-form.ts";
import { LedgerFile, type TakePrint, writePrints } from "./ledger-file.ts";
import { type AskedTarget, targetsOf } from "./ledger-target.ts";
import { PrintTable } from "./print-table.ts";

/** Creates that are to be taken out of a ledger. */
export interface RemovedCreates {
  readonly count: number;
  readonly scan: (take: TakePrint) => Promise<void>;
}

/** A file of a ledger. */
interface KnownFile {
  readonly file: LedgerFile;
  /** False if a book of a former address names one of that name. */
  readonly isOwn: boolean;
}

/**
 * Takes creates out of all files of a ledger at once: from the latest file first, each as often as it is given,
 * compared by its whole record or, where both have one, by its identity. Returns how many were there. From then on the ledger
 * decides about the content of their runs.
 */
export async function removeCreates(
  state: StateDirectory,
  lock: BookLock,
  target: AskedTarget,
  removed: RemovedCreates,
  identity: readonly string[] | undefined,
  wanted?: string,
): Promise<number> {
  const own = await bookOf(state, target);
  const files = await openFiles(state, own, target);
  const isOf = ({ facts }: LedgerFile): boolean =>
    identity !== undefined && facts.identity?.join("\n") === identity.join("\n");
  const identified = identity === undefined ? undefined : await wantedAt(removed, PRINT_BYTES);
  const known = files.filter(({ file }) => file.facts.kind === "known" && isOf(file));
  const whole = await wantedAt(removed, 0, async (take) => {
    for (const { file } of known)
      await file.scan((bytes, at, isDoubtful) => {
        if (identified!.find(bytes, at + PRINT_BYTES) >= 0) take(bytes, at, isDoubtful);
      });
  });
  let takenOut = 0;
  const changed: Record<string, Prints | null> = {};
  for (const { file, isOwn } of files) {
    const isIdentified = isOf(file);
    const isCreate = file.facts.kind === "created" || file.facts.kind === "added";
    const takes = (bytes: Buffer, at: number): boolean => {
      // All notes on a create are removed with it.
      if (isIdentified) return identified!.find(bytes, at + PRINT_BYTES) >= 0;
      const slot = whole.find(bytes, at);
      return slot >= 0 && (!isCreate || whole.left(slot) > 0);
    };
    const onTaken = (bytes: Buffer, at: number): void => {
      if (isCreate) whole.take(bytes, at);
    };
    const rest = await takeOut(own.directory, file, takes, onTaken);
    if (rest.taken === 0) continue;
    if (isCreate) takenOut += rest.taken;
    // An empty one says that nothing is left of that which the book of a former address names.
    const isStruck = isOwn && rest.isEmpty && file.facts.kind !== "added";
    changed[file.key] = isStruck ? null : rest.prints;
  }
  const removal: Removal = { takenOut, ...(wanted === undefined ? {} : { wanted }) };
  if (Object.keys(changed).length === 0) return 0;
  await own.append(lock, { entry: "prints", files: changed, removal });
  for (const { file, isOwn } of files) if (isOwn && file.key in changed) await rm(file.path, { force: true });
  return takenOut;
}

/** The files of a ledger under all its addresses, the latest first. */
async function openFiles(
  state: StateDirectory,
  own: Book,
  target: AskedTarget,
): Promise<readonly KnownFile[]> {
  const files = new Map<string, KnownFile>();
  const books = await Promise.all(targetsOf(target).map((one) => bookOf(state, one)));
  for (const { directory, prints } of books)
    for (const [name, known] of prints) {
      if (known.runKey !== target.runKey || files.has(name)) continue;
      const file = new LedgerFile(directory, name, known);
      files.set(name, { file, isOwn: books.every((book) => book === own || !book.prints.has(name)) });
    }
  return [...files.values()].sort((a, b) => (a.file.facts.startedAt < b.file.facts.startedAt ? 1 : -1));
}

/** What is left of a file after some prints were taken out of it. */
interface Rest {
  readonly taken: number;
  readonly isEmpty: boolean;
  /** Its new file; that which it has, if nothing was taken out. */
  readonly prints: Prints | null;
}

async function takeOut(
  directory: string,
  file: LedgerFile,
  takes: (bytes: Buffer, at: number) => boolean,
  onTaken: (bytes: Buffer, at: number) => void,
): Promise<Rest> {
  let { certain, doubtful } = file.facts;
  const isTaken = new Uint8Array(certain + doubtful);
  let number = 0;
  await file.scan((bytes, at, isDoubtful) => {
    if (takes(bytes, at)) {
      onTaken(bytes, at);
      isTaken[number] = 1;
      if (isDoubtful) doubtful -= 1;
      else certain -= 1;
    }
    number += 1;
  });
  const taken = number - certain - doubtful;
  const isEmpty = certain + doubtful === 0;
  if (taken === 0) return { taken, isEmpty, prints: null };
  number = 0;
  const prints = await rewrite(directory, file, { certain, doubtful }, (put) =>
    file.scan((bytes, at) => {
      if (isTaken[number++] === 0) put(bytes, at);
    }),
  );
  return { taken, isEmpty, prints };
}

/** Writes a file under a new name, with other prints. */
function rewrite(
  directory: string,
  { key, facts }: LedgerFile,
  counts: { readonly certain: number; readonly doubtful: number },
  fill: Parameters<typeof writePrints>[3],
): Promise<Prints> {
  return writePrints(directory, `${key}.${randomBytes(6).toString("hex")}`, { ...facts, ...counts }, fill);
}

/** Takes the prints of a run out of the ledger, along with what other files know of its creates; returns how many there were. */
export async function forgetPrints(
  state: StateDirectory,
  lock: BookLock,
  { directory }: Book,
  run: string,
  prints: Prints,
): Promise<number> {
  const { certain, doubtful, identity, runKey } = prints;
  const file = new LedgerFile(directory, run, prints);
  const removed = { count: certain + doubtful, scan: (take: TakePrint) => file.scan(take) };
  await removeCreates(state, lock, { ...tableOf(lock), runKey }, removed, identity);
  return certain + doubtful;
}

/** The table of a lock as a target. */
function tableOf({ table: { url, queries } }: BookLock): Omit<AskedTarget, "runKey"> {
  return { url, ...(queries === undefined ? {} : { queries }) };
}

interface Wanted {
  find(bytes: Buffer, at: number): number;
  left(slot: number): number;
  take(bytes: Buffer, at: number): void;
}

/** `learnt` are the whole records of creates that got one of the identities later, perhaps with other values. */
async function wantedAt(
  { count, scan }: RemovedCreates,
  offset: number,
  learnt: RemovedCreates["scan"] = async () => undefined,
): Promise<Wanted> {
  let others = 0;
  await learnt(() => {
    others += 1;
  });
  const table = new PrintTable(count + others);
  const left = new Uint32Array(table.most);
  await scan((bytes, at) => {
    left[table.add(bytes, at + offset)]! += 1;
  });
  await learnt((bytes, at) => {
    const slot = table.add(bytes, at);
    left[slot] = Math.max(left[slot]!, 1);
  });
  return {
    find: (bytes, at) => table.find(bytes, at),
    left: (slot) => left[slot]!,
    take(bytes, at) {
      const slot = table.find(bytes, at);
      if (slot >= 0 && left[slot]! > 0) left[slot]! -= 1;
    },
  };
}

/** The prints of the creates of a run, and the book that names them; `undefined` if none does. */
export async function findPrints(
  state: StateDirectory,
  run: string,
): Promise<{ readonly book: Book; readonly prints: Prints } | undefined> {
  for (const book of await allBooks(state)) {
    const prints = book.prints.get(run);
    if (prints !== undefined) return { book, prints };
  }
  return undefined;
}

/** The creates of a closed run that left some in doubt, perhaps decided since. */
export interface ClosedDoubt {
  readonly book: Book;
  readonly prints: Prints;
}

/** What a closed run left in doubt; `undefined` if it left nothing. */
export async function findClosedDoubt(state: StateDirectory, run: string): Promise<ClosedDoubt | undefined> {
  const found = await findPrints(state, run);
  return found?.prints.doubt === undefined ? undefined : found;
}

/** The user's word on the creates that a closed run left in doubt: they are in the service, or they are not there. */
export async function settleClosedDoubt(
  lock: BookLock,
  { book, prints }: ClosedDoubt,
  run: string,
  answer: "applied" | "absent",
): Promise<void> {
  const file = new LedgerFile(book.directory, run, prints);
  const { doubtful } = prints;
  const certain = prints.certain + (answer === "applied" ? doubtful : 0);
  const settled = await rewrite(book.directory, file, { certain, doubtful: 0 }, (put) =>
    file.scan((bytes, at, isDoubtful) => {
      if (answer === "applied" || !isDoubtful) put(bytes, at);
    }),
  );
  const removal = answer === "absent" ? { removal: { takenOut: doubtful } } : {};
  await book.append(lock, {
    entry: "prints",
    files: { [run]: settled },
    ...removal,
    decided: { run, answer },
  });
}
