import { join } from "node:path";
import { PRINT_BYTES, writePrint } from "../ledger/comparison-form.ts";
import { PrintTable } from "../ledger/print-table.ts";
import { RecPushError } from "../model/failure.ts";
import { fieldsOf, type PreparedRecord, type RecordList } from "../model/settlement.ts";
import type { BookRun } from "./book-entries.ts";
import { RunAccount } from "./count-run.ts";
import { rangesOf } from "./number-ranges.ts";
import { type NotedKeys, readJournal } from "./read-journal.ts";
import { placeOfRun } from "./table-place.ts";

/*
 * While an older run on the table is open, or its rejects are not pushed yet, a run notes the updates that it sends in its journal:
 * their keys as prints, and the fields that each gives. Rows of the older run that come later are compared with them.
 */

/** The most keys of later runs that are compared; with more, the answer is "unknown". */
const MOST_KEYS = 2_000_000;
/** Of a key in base64. */
const KEY_CHARS = (PRINT_BYTES / 3) * 4;

/** Collects updates as a journal notes them. */
export class KeyNotes {
  readonly #ordinals: number[] = [];
  readonly #keys: string[] = [];
  readonly #sets = new Map<string, number>();
  readonly #setOf: number[] = [];

  /** Creates are passed over. */
  add(record: PreparedRecord): void {
    const { key } = record;
    if (key === undefined) return;
    this.#ordinals.push(record.ordinal);
    this.#keys.push(key);
    const set = JSON.stringify(fieldsOf(record));
    if (!this.#sets.has(set)) this.#sets.set(set, this.#sets.size);
    this.#setOf.push(this.#sets.get(set)!);
  }

  /** `undefined` if there are none. */
  get noted(): NotedKeys | undefined {
    if (this.#keys.length === 0) return undefined;
    const sets = [...this.#sets.keys()].map((set) => JSON.parse(set) as string[]);
    const given = { ordinals: rangesOf(this.#ordinals), sets, setOf: this.#setOf };
    return { hashes: spellKeys(this.#keys), given };
  }
}

/** The updates among some records, as their journal notes them before they are sent; `undefined` if there are none. */
export function keysOf(records: RecordList): NotedKeys | undefined {
  const notes = new KeyNotes();
  for (const record of records) notes.add(record);
  return notes.noted;
}

/** Keys that were perhaps sent, with unknown fields. */
export function lostKeys(keys: readonly string[]): NotedKeys {
  return { hashes: spellKeys(keys) };
}

/** The hashes of keys, one after the other, in base64. */
function spellKeys(keys: readonly string[]): string {
  const bytes = Buffer.allocUnsafe(keys.length * PRINT_BYTES);
  for (const [at, key] of keys.entries()) writePrint(key, bytes, at * PRINT_BYTES);
  return bytes.toString("base64");
}

/** The fields that later runs have sent, by key. */
export interface LaterKeys {
  /** How many of the fields of an update were given by accepted updates of later runs with its key, all together. */
  readonly overlap: (update: PreparedRecord) => Overlap;
  /** True if all fields of all these updates were given. */
  readonly overtakeAll: (updates: NotedKeys) => boolean;
}

export type Overlap = "all" | "some" | "none" | "unknown";

/** For runs whose journals are lost, or that sent more keys than are compared. */
export const NOTHING_KNOWN: LaterKeys = { overlap: () => "unknown", overtakeAll: () => false };

/**
 * What runs of a table, whose directory it is, noted in their journals; `undefined` if they noted nothing. `mixed`: those
 * of the runs of which not all rows are later.
 */
export async function readLaterKeys(
  table: string,
  runs: readonly Pick<BookRun, "run" | "closed">[],
  mixed: ReadonlySet<string>,
): Promise<LaterKeys | undefined> {
  const found: SentKeys[] = [];
  let keys = 0;
  for (const { run, closed } of runs) {
    try {
      const sent: SentKeys = { entries: [], account: new RunAccount(), isMixed: mixed.has(run) };
      const { number } = await readJournal(join(placeOfRun(table, run), "journal"), (entry, line) => {
        sent.account.take(entry, line);
        if (entry.entry !== "keys") return;
        keys += entry.hashes.length / KEY_CHARS;
        if (keys <= MOST_KEYS) sent.entries.push(entry);
      });
      if (number < (closed?.keys ?? 0) || keys > MOST_KEYS) return NOTHING_KNOWN;
      found.push(sent);
    } catch (error) {
      const isLost = error instanceof RecPushError || (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!isLost) throw error;
      return NOTHING_KNOWN;
    }
  }
  return found.some(({ entries }) => entries.length > 0) ? new FoundKeys(found) : undefined;
}

/** The keys that a run noted, and what became of its records. */
interface SentKeys {
  readonly entries: NotedKeys[];
  readonly account: RunAccount;
  readonly isMixed: boolean;
}

type Fields = ReadonlySet<string>;
/** Stands for the number of a set: the fields are unknown, or none was given. */
const UNKNOWN = 0;
const NONE = 1;

/** The keys of accepted updates, each with all fields that were given for it. */
class FoundKeys implements LaterKeys {
  readonly #keys: PrintTable;
  readonly #asked = Buffer.alloc(PRINT_BYTES);
  /** By key: the number of its set of fields. */
  readonly #setOf: Uint32Array;
  readonly #sets: Fields[] = [new Set(), new Set()];
  readonly #names = new Map<string, number>();
  /** By a pair of sets: their union. */
  readonly #unions = new Map<string, number>();

  constructor(sent: readonly SentKeys[]) {
    let count = 0;
    for (const _ of sentKeys(sent)) count += 1;
    this.#keys = new PrintTable(count);
    this.#setOf = new Uint32Array(this.#keys.most).fill(NONE);
    for (const { bytes, at, fields } of sentKeys(sent)) {
      const key = this.#keys.add(bytes, at);
      const set = fields === undefined ? UNKNOWN : this.#nameSet(fields);
      this.#setOf[key] = this.#join(this.#setOf[key]!, set);
    }
  }

  overlap(update: PreparedRecord): Overlap {
    if (update.key === undefined) return "none";
    writePrint(update.key, this.#asked, 0);
    return this.#overlap(this.#asked, 0, fieldsOf(update));
  }

  overtakeAll({ hashes, given }: NotedKeys): boolean {
    const bytes = Buffer.from(hashes, "base64");
    return (
      given?.setOf.every((set, at) => this.#overlap(bytes, at * PRINT_BYTES, given.sets[set]!) === "all") ===
      true
    );
  }

  #overlap(bytes: Buffer, at: number, fields: readonly string[]): Overlap {
    const key = this.#keys.find(bytes, at);
    if (key < 0) return "none";
    const set = this.#setOf[key]!;
    if (set === UNKNOWN) return "unknown";
    const given = fields.filter((field) => this.#sets[set]!.has(field)).length;
    return given === fields.length ? "all" : given > 0 ? "some" : "none";
  }

  #nameSet(fields: readonly string[]): number {
    const name = JSON.stringify(fields.toSorted());
    let number = this.#names.get(name);
    if (number === undefined) {
      number = this.#sets.push(new Set(fields)) - 1;
      this.#names.set(name, number);
    }
    return number;
  }

  #join(one: number, other: number): number {
    if (one === other || other === NONE) return one;
    if (one === NONE) return other;
    if (one === UNKNOWN || other === UNKNOWN) return UNKNOWN;
    const pair = `${one} ${other}`;
    let union = this.#unions.get(pair);
    if (union === undefined) {
      union = this.#nameSet([...new Set([...this.#sets[one]!, ...this.#sets[other]!])]);
      this.#unions.set(pair, union);
    }
    return union;
  }
}

/** The keys of updates that were accepted, with the fields that they gave; without them if these are unknown. */
function* sentKeys(sent: readonly SentKeys[]): Generator<{
  readonly bytes: Buffer;
  readonly at: number;
  readonly fields: readonly string[] | undefined;
}> {
  for (const { entries, account, isMixed } of sent)
    for (const { hashes, given } of entries) {
      const bytes = Buffer.from(hashes, "base64");
      if (given === undefined) {
        for (let at = 0; at < bytes.length; at += PRINT_BYTES) yield { bytes, at, fields: undefined };
        continue;
      }
      let at = 0;
      for (const [first, last] of given.ordinals)
        for (let ordinal = first; ordinal <= last; ordinal++, at++)
          if (account.standingOf("update", ordinal) === "accepted")
            yield {
              bytes,
              at: at * PRINT_BYTES,
              fields: isMixed ? undefined : given.sets[given.setOf[at] ?? 0],
            };
    }
}
