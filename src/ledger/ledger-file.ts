import { writeSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { RecPushError } from "../model/failure.ts";
import type { Origin, Prints } from "../store/book-entries.ts";
import type { Book } from "../store/book.ts";
import type { TableLock } from "../store/held-lock.ts";
import type { RunAccount } from "../store/count-run.ts";
import { StatesOfNumbers } from "../store/number-ranges.ts";
import { replaceFile } from "../store/private-file.ts";
import { readJournal } from "../store/journal.ts";
import { cannotUse, damagedState, orCannotUse, placeOfPrints } from "../store/state-directory.ts";
import { type ComparedAs, isEmptyHash, placeOfHash, PRINT_BYTES, widthOf } from "./comparison-form.ts";
import { PrintTable } from "./print-table.ts";

/** Receives one print after the other: `bytes` holds it at `at`, and is reused for the next. */
export type TakePrint = (bytes: Buffer, at: number, isDoubtful: boolean) => void;

/** Writes the print that is at `at` of `prints` to the file. */
type PutPrint = (prints: Buffer, at: number) => void;

/** Says something of the print that is at `at` of `prints`. */
type PrintTest = (prints: Buffer, at: number) => boolean;

const BLOCK_BYTES = 1 << 18;

/**
 * Writes prints, whole or not at all, with their hashes of `kept`, else with those that tell them apart; the file counts once the
 * book names it. `directory` is the table's, `name` new there. `fill` passes on the prints, certain ones first, each time it is called.
 */
export async function writePrints(
  directory: string,
  name: string,
  facts: Omit<Prints, "name" | "sum">,
  fill: (put: PutPrint) => Promise<void>,
  kept?: ComparedAs["hashed"],
): Promise<Prints> {
  const path = placeOfPrints(directory, name);
  let sum = 0;
  return orCannotUse(path, async () => {
    const unique = kept ?? (await findUnique(facts, facts.certain + facts.doubtful, fill));
    const hashed = unique.filter((fields) => fields.length > 0).slice(0, MOST_HASHED);
    const places = [0, ...hashed.map((fields) => placeOfHash(facts, fields)!)];
    await replaceFile(path, async ({ fd }) => {
      const width = widthOf({ hashed });
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      let length = 0;
      const write = (part: Buffer): void => {
        sum = crc32(part, sum);
        for (let at = 0; at < part.length;) at += writeSync(fd, part, at);
      };
      await fill((prints, at) => {
        // For so few bytes a call into Node takes longer.
        for (const place of places)
          for (let byte = 0; byte < PRINT_BYTES; byte++) block[length++] = prints[at + place + byte]!;
        if (length < block.length) return;
        write(block);
        length = 0;
      });
      write(block.subarray(0, length));
    });
    return { ...facts, hashed, name, sum: hex(sum) };
  });
}

/** So many hashes are kept beside a print. */
const MOST_HASHED = 3;
/**
 * Only so many prints are compared, so that memory stays flat. If a later print repeats a hash, its record is at worst
 * named as a changed one.
 */
const MOST_COMPARED = 2 ** 17;

/**
 * The fields of the hashes of `count` prints, which `fill` passes on; none for a hash that some prints lack, or that two
 * prints share.
 */
export async function findUnique(
  compared: Pick<ComparedAs, "hashed">,
  count: number,
  fill: (take: PutPrint) => Promise<void>,
): Promise<ComparedAs["hashed"]> {
  const candidates = compared.hashed.map((fields) => ({
    fields,
    place: placeOfHash(compared, fields),
    table: new PrintTable(Math.min(count, MOST_COMPARED)),
  }));
  let compares = 0;
  await fill((prints, at) => {
    for (const one of candidates) {
      if (one.place === undefined) continue;
      const isAlike = compares < MOST_COMPARED && one.table.add(prints, at + one.place) < compares;
      if (isAlike || isEmptyHash(prints, at + one.place)) one.place = undefined;
    }
    compares += 1;
  });
  return candidates.map(({ fields, place }) => (place === undefined ? [] : fields));
}

/**
 * Prints the creates of a run, for the book of a table whose directory is `directory`; `undefined` if it made none. `mayComeAgain`:
 * its rows may come in another file, because its command was cut off, or it or its plan left rows.
 */
export async function printRun(
  directory: string,
  account: RunAccount,
  journal: string,
  mayComeAgain: boolean,
): Promise<Prints | undefined> {
  if (!account.hasCreates) return undefined;
  const origin = originOf(account, mayComeAgain);
  const width = widthOf(origin);
  const certain = account.countOf("create", "accepted");
  const doubtful = account.countOf("create", "inDoubt");
  return writePrints(directory, origin.run, { ...origin, certain, doubtful }, async (put) => {
    for (const areDoubtful of doubtful > 0 ? [false, true] : [false])
      await scanJournal(journal, account, width, (bytes, at, isDoubtful) => {
        if (isDoubtful === areDoubtful) put(bytes, at);
      });
  });
}

/**
 * The ledger entry for the creates of a run. `mayComeAgain`: see {@link printRun}.
 */
export function originOf(account: RunAccount, mayComeAgain: boolean): Origin {
  const { run, startedAt, file, identity, compared, totals, rowsOf } = account.facts;
  // A later push may have sent rows that this run left unsent, so these count even if all is settled now.
  const isWhole =
    !mayComeAgain &&
    account.ending !== undefined &&
    !account.isAbandoned &&
    account.processes === 1 &&
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

/** Removes a file of prints that no book names any more; nothing if it is gone. */
export async function removePrints(directory: string, { name }: Prints): Promise<void> {
  await rm(placeOfPrints(directory, name), { force: true });
}

/** The sets of creates that a book names for a --run-key. */
export function openFiles(
  { directory, prints }: Pick<Book, "directory" | "prints">,
  runKey: string | null,
): readonly LedgerFile[] {
  return [...prints]
    .filter(([, facts]) => facts.runKey === runKey)
    .map(([key, facts]) => new LedgerFile(directory, key, facts));
}

/** A set of prints that a book names. */
export class LedgerFile {
  readonly facts: Prints;
  /** The name of the set in the book. */
  readonly key: string;
  readonly path: string;

  /** `directory` is the table's. */
  constructor(directory: string, key: string, facts: Prints) {
    this.key = key;
    this.path = placeOfPrints(directory, facts.name);
    this.facts = facts;
  }

  /** Passes on the prints in order. Throws a machine error, at the end if the bytes do not match their checksum. */
  async scan(take: TakePrint): Promise<void> {
    const { certain, doubtful, sum: expected } = this.facts;
    const width = widthOf(this.facts);
    const handle = await this.#open();
    try {
      const { size } = await handle.stat();
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      const [certainBytes, countedBytes] = [certain * width, (certain + doubtful) * width];
      let sum = 0;
      for (let place = 0; place < size;) {
        const length = Math.min(block.length, size - place);
        if ((await handle.read(block, 0, length, place)).bytesRead !== length)
          throw this.#damaged("ends too early");
        sum = crc32(block.subarray(0, length), sum);
        for (let at = 0; at < Math.min(length, countedBytes - place); at += width)
          take(block, at, place + at >= certainBytes);
        place += length;
      }
      if (hex(sum) !== expected) throw this.#damaged("does not match its checksum");
    } finally {
      await handle.close();
    }
  }

  async #open(): Promise<FileHandle> {
    try {
      return await open(this.path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw this.#damaged("is not there");
      throw cannotUse(this.path, cause);
    }
  }

  #damaged(what: string): RecPushError {
    return damagedState(
      `the ledger of what was created is damaged: ${this.path} ${what}`,
      `or take that part out, and say which of its records are in the service:\n  rec-push runs forget ${this.key}\n  rec-push ledger add FILE --table NAME`,
    );
  }
}

/** Creates that the user reports as missing. */
interface MissingCreates extends Pick<ComparedAs, "hashed"> {
  readonly count: number;
  readonly runKey: string | null;
  /** The fields that identify them. */
  readonly identity: readonly string[] | undefined;
  readonly scan: (take: PutPrint) => Promise<void>;
}

/**
 * Removes all creates that equal a missing one, by their whole record or, where both have one, by their identity; again, it
 * removes nothing more. Returns how many there were. From then on the ledger decides about the content of their runs. If
 * the ledger holds more creates of a record than are missing, it removes none and returns a test for those. The rest of a set
 * goes to a file whose name ends with `name`.
 */
export async function removeCreates(
  book: Book,
  lock: TableLock,
  { hashed, count, runKey, identity, scan }: MissingCreates,
  name: string,
): Promise<number | PrintTest> {
  const place = placeOfHash({ hashed }, identity);
  const identities = new PrintTable(place === undefined ? 0 : count);
  const prints = new PrintTable(count);
  await scan((bytes, at) => {
    prints.add(bytes, at);
    if (place !== undefined) identities.add(bytes, at + place);
  });
  // By print: how many more creates the ledger holds than are missing.
  const held = new Int32Array(prints.most);
  await scan((bytes, at) => (held[prints.find(bytes, at)]! -= 1));
  let takenOut = 0;
  const changed: (readonly [file: LedgerFile, rest: Omit<Prints, "name" | "sum">, isRemoved: PrintTest])[] =
    [];
  for (const file of openFiles(book, runKey)) {
    const own = placeOfHash(file.facts, identity);
    const isRemoved: PrintTest = (bytes, at) =>
      own === undefined ? prints.find(bytes, at) >= 0 : identities.find(bytes, at + own) >= 0;
    let [certain, doubtful, taken] = [0, 0, 0];
    await file.scan((bytes, at, isDoubtful) => {
      if (isRemoved(bytes, at)) {
        taken += 1;
        if (isCreates(file) && own === undefined) held[prints.find(bytes, at)]! += 1;
      } else if (isDoubtful) doubtful += 1;
      else certain += 1;
    });
    if (taken === 0) continue;
    changed.push([file, { ...file.facts, certain, doubtful }, isRemoved]);
    if (isCreates(file)) takenOut += taken;
  }
  if (held.some((more) => more > 0))
    return (bytes, at) => {
      const slot = prints.find(bytes, at);
      return slot >= 0 && held[slot]! > 0;
    };
  if (changed.length === 0) return 0;
  const files: Record<string, Prints | null> = {};
  for (const [file, rest, isRemoved] of changed) {
    const fill = (put: PutPrint): Promise<void> =>
      file.scan((bytes, at) => {
        if (!isRemoved(bytes, at)) put(bytes, at);
      });
    // An empty set still records that a person added some.
    const isEmpty = rest.certain + rest.doubtful === 0 && rest.kind !== "added";
    files[file.key] = isEmpty
      ? null
      : await writePrints(book.directory, `${file.key}-${name}`, rest, fill, rest.hashed);
  }
  await book.append(lock, { entry: "prints", files, removedFrom: Object.keys(files) });
  for (const [{ facts }] of changed) await removePrints(book.directory, facts);
  return takenOut;
}

function isCreates({ facts: { kind } }: LedgerFile): boolean {
  return kind === "created" || kind === "added";
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
