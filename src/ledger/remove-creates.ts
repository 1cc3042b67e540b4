import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Prints } from "../store/book-entries.ts";
import type { Book, BookLock } from "../store/book.ts";
import { allBooks, bookOf } from "../store/find-books.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { type ComparedAs, placeOfHash } from "./comparison-form.ts";
import { LedgerFile, type TakePrint, writePrints } from "./ledger-file.ts";
import { type AskedTarget, targetsOf } from "./ledger-target.ts";
import { PrintTable } from "./print-table.ts";

/** Creates that are to be taken out of a ledger. */
export interface RemovedCreates extends Pick<ComparedAs, "hashed"> {
  readonly count: number;
  readonly scan: (take: TakePrint) => Promise<void>;
}

/** A file of a ledger. */
interface KnownFile {
  readonly file: LedgerFile;
  /** False if a book of a former address names one of that name. */
  readonly isOwn: boolean;
}

/** True for a print of which the ledger holds more creates than were named. */
export type IsHeldMore = (bytes: Buffer, at: number) => boolean;

/**
 * Takes all creates that equal one of these out of all files of a ledger at once, compared by their whole record or, where both
 * have one, by their identity: done again, it takes out nothing more. Returns how many there were. From then on the ledger
 * decides about the content of their runs. If the ledger holds more creates of a record than are named, nothing is taken out, and
 * a test for these is returned.
 */
export async function removeCreates(
  state: StateDirectory,
  lock: BookLock,
  target: AskedTarget,
  removed: RemovedCreates,
  identity: readonly string[] | undefined,
): Promise<number | IsHeldMore> {
  const own = await bookOf(state, target);
  const files = await openFiles(state, own, target);
  const { whole, named, isIn } = await askedFor(removed, identity);
  const held = new Uint32Array(whole.most);
  for (const { file } of files.filter(({ file }) => isCreates(file) && !hasHash(file, identity)))
    await file.scan((bytes, at) => {
      const slot = whole.find(bytes, at);
      if (slot >= 0) held[slot]! += 1;
    });
  if (held.some((creates, slot) => creates > named[slot]!))
    return (bytes, at) => {
      const slot = whole.find(bytes, at);
      return slot >= 0 && held[slot]! > named[slot]!;
    };
  return strike(own, lock, files, isIn);
}

function isCreates({ facts: { kind } }: LedgerFile): boolean {
  return kind === "created" || kind === "added";
}

function hasHash({ facts }: LedgerFile, identity: readonly string[] | undefined): boolean {
  return placeOfHash(facts, identity) !== undefined;
}

/** Creates that were asked for, and how often each whole record is named. */
interface Asked {
  readonly whole: PrintTable;
  readonly named: Uint32Array;
  /** A test for the prints of a file. */
  readonly isIn: (file: LedgerFile) => (bytes: Buffer, at: number) => boolean;
}

async function askedFor(
  { count, hashed, scan }: RemovedCreates,
  identity: readonly string[] | undefined,
): Promise<Asked> {
  const place = placeOfHash({ hashed }, identity);
  const identified = new PrintTable(place === undefined ? 0 : count);
  const whole = new PrintTable(count);
  const named = new Uint32Array(whole.most);
  await scan((bytes, at) => {
    named[whole.add(bytes, at)]! += 1;
    if (place !== undefined) identified.add(bytes, at + place);
  });
  const isIn: Asked["isIn"] = (file) => {
    const own = placeOfHash(file.facts, identity);
    return own === undefined
      ? (bytes, at) => whole.find(bytes, at) >= 0
      : (bytes, at) => identified.find(bytes, at + own) >= 0;
  };
  return { whole, named, isIn };
}

/** The files of a ledger under all its addresses. */
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
  return [...files.values()];
}

/** Takes prints out of files, in one entry of the book; returns how many creates that were. */
async function strike(
  own: Book,
  lock: BookLock,
  files: readonly KnownFile[],
  testOf: (file: LedgerFile) => (bytes: Buffer, at: number) => boolean,
): Promise<number> {
  let takenOut = 0;
  const changed: Record<string, Prints | null> = {};
  for (const { file, isOwn } of files) {
    const isTaken = testOf(file);
    let { certain, doubtful } = file.facts;
    await file.scan((bytes, at, isDoubtful) => {
      if (!isTaken(bytes, at)) return;
      if (isDoubtful) doubtful -= 1;
      else certain -= 1;
    });
    const taken = file.facts.certain + file.facts.doubtful - certain - doubtful;
    if (taken === 0) continue;
    if (isCreates(file)) takenOut += taken;
    // An empty one says that nothing is left of that which the book of a former address names, or that a person added some.
    const isStruck = isOwn && certain + doubtful === 0 && file.facts.kind !== "added";
    changed[file.key] = isStruck
      ? null
      : await rewrite(own.directory, file, { certain, doubtful }, (put) =>
          file.scan((bytes, at) => {
            if (!isTaken(bytes, at)) put(bytes, at);
          }),
        );
  }
  if (Object.keys(changed).length === 0) return 0;
  await own.append(lock, { entry: "prints", files: changed, isRemoval: true });
  for (const { file, isOwn } of files) if (isOwn && file.key in changed) await rm(file.path, { force: true });
  return takenOut;
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

/** The prints of the creates of a run, and the book that names them. */
export interface RunPrints {
  readonly book: Book;
  readonly prints: Prints;
}

/** `undefined` if no book names any. */
export async function findPrints(state: StateDirectory, run: string): Promise<RunPrints | undefined> {
  for (const book of await allBooks(state)) {
    const prints = book.prints.get(run);
    if (prints !== undefined) return { book, prints };
  }
  return undefined;
}

/** The user's word on the creates that a closed run left in doubt: they are in the service, or they are not there. */
export async function settleClosedDoubt(
  lock: BookLock,
  { book, prints }: RunPrints,
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
  const removal = answer === "absent" ? { isRemoval: true as const } : {};
  const decided = { run, answer };
  await book.append(lock, { entry: "prints", files: { [run]: settled }, ...removal, decided });
}
