import { join } from "node:path";
import { PRINT_BYTES, writePrint } from "../ledger/comparison-form.ts";
import { RecPushError } from "../model/failure.ts";
import { fieldsOf, type PreparedRecord, type RecordList } from "../model/settlement.ts";
import type { BookRun } from "./book-entries.ts";
import { rangesOf, StatesOfNumbers } from "./number-ranges.ts";
import { type NotedKeys, type OutcomeEntry, readJournal } from "./read-journal.ts";
import { placeOfRun } from "./table-place.ts";

/*
 * While an older run on the table is open, or its rejects are not pushed yet, a run notes the updates that it sends in its journal:
 * their keys as prints, and the fields that each gives. Rows of the older run that come later are compared with them.
 */

/** The most keys of later runs that are compared; with more, the answer is "unknown". */
const MOST_KEYS = 1_000_000;
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
      const sent: SentKeys = { entries: [], updates: new StatesOfNumbers(), isMixed: mixed.has(run) };
      const { number } = await readJournal(join(placeOfRun(table, run), "journal"), (entry) => {
        if (entry.entry === "outcome" && entry.kind === "update")
          for (const range of entry.ordinals) sent.updates.set(range, entry.outcome);
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

/** The keys that a run noted, and what became of its updates. */
interface SentKeys {
  readonly entries: NotedKeys[];
  readonly updates: StatesOfNumbers<OutcomeEntry["outcome"]>;
  readonly isMixed: boolean;
}

/** `undefined` if they are unknown. */
type Fields = ReadonlySet<string> | undefined;

/** The keys of accepted updates, each with all fields that were given for it. */
class FoundKeys implements LaterKeys {
  /** By the hash of a key in base64. Equal sets are one object, so that a key takes little memory. */
  readonly #given = new Map<string, Fields>();
  /** By their names. */
  readonly #sets = new Map<string, Fields>();

  constructor(sent: readonly SentKeys[]) {
    for (const { entries, updates, isMixed } of sent)
      for (const { hashes, given } of entries) {
        if (given === undefined) {
          for (let at = 0; at < hashes.length; at += KEY_CHARS) this.#give(keyAt(hashes, at), undefined);
          continue;
        }
        const sets = given.sets.map((fields) => (isMixed ? undefined : this.#setOf(fields)));
        let at = 0;
        for (const [first, last] of given.ordinals)
          for (let ordinal = first; ordinal <= last; ordinal++, at++)
            if (updates.of(ordinal) === "accepted")
              this.#give(keyAt(hashes, at * KEY_CHARS), sets[given.setOf[at] ?? 0]);
      }
  }

  overlap(update: PreparedRecord): Overlap {
    return update.key === undefined ? "none" : this.#overlap(spellKeys([update.key]), fieldsOf(update));
  }

  overtakeAll({ hashes, given }: NotedKeys): boolean {
    return (
      given?.setOf.every(
        (set, at) => this.#overlap(keyAt(hashes, at * KEY_CHARS), given.sets[set]!) === "all",
      ) === true
    );
  }

  #overlap(key: string, fields: readonly string[]): Overlap {
    if (!this.#given.has(key)) return "none";
    const set = this.#given.get(key);
    if (set === undefined) return "unknown";
    const given = fields.filter((field) => set.has(field)).length;
    return given === fields.length ? "all" : given > 0 ? "some" : "none";
  }

  #give(key: string, fields: Fields): void {
    const before = this.#given.has(key) ? this.#given.get(key) : fields;
    const isUnknown = before === undefined || fields === undefined;
    if (before === fields || isUnknown) this.#given.set(key, isUnknown ? undefined : fields);
    else this.#given.set(key, this.#setOf([...new Set([...before, ...fields])]));
  }

  #setOf(fields: readonly string[]): Fields {
    const name = JSON.stringify(fields.toSorted());
    const set = this.#sets.get(name) ?? new Set(fields);
    this.#sets.set(name, set);
    return set;
  }
}

function keyAt(hashes: string, at: number): string {
  return hashes.slice(at, at + KEY_CHARS);
}
