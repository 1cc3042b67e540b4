import { join } from "node:path";
import { PRINT_BYTES, writePrint } from "../ledger/comparison-form.ts";
import { RecPushError } from "../model/failure.ts";
import { fieldsOf, type PreparedRecord, type RecordList } from "../model/settlement.ts";
import type { BookRun } from "./book-entries.ts";
import { rangesOf, StatesOfNumbers } from "./number-ranges.ts";
import { type NotedKeys, type OutcomeEntry, readJournal } from "./journal.ts";
import { placeOfRun } from "./state-directory.ts";

/*
 * While an older run on the table is open, or its rejects are not pushed yet, a run notes the updates that it sends in its journal:
 * their keys as prints, and the fields that each gives. Rows of the older run that come later are compared with them.
 */

/** The most keys of later runs that are compared; with more, the answer is "unknown". */
const MOST_KEYS = 1_000_000;
/** The hash of a key in base64. */
const KEY_CHARS = (PRINT_BYTES / 3) * 4;
const KEY = new RegExp(`.{${KEY_CHARS}}`, "g");

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
    return { hashes: spellKeys(this.#keys), ordinals: rangesOf(this.#ordinals), sets, setOf: this.#setOf };
  }
}

/** The updates among some records, as their journal notes them before they are sent; `undefined` if there are none. */
export function keysOf(records: RecordList): NotedKeys | undefined {
  const notes = new KeyNotes();
  for (const record of records) notes.add(record);
  return notes.noted;
}

/** The hashes of keys, one after the other, in base64. */
function spellKeys(keys: readonly string[]): string {
  const bytes = Buffer.allocUnsafe(keys.length * PRINT_BYTES);
  for (const [at, key] of keys.entries()) writePrint(key, bytes, at * PRINT_BYTES);
  return bytes.toString("base64");
}

/** How many of the fields of an update were given by accepted updates of later runs with its key, all together. */
export type Overlap = "all" | "some" | "none" | "unknown";

/**
 * What runs of a table, whose directory it is, noted in their journals; `undefined` if they noted nothing.
 */
export async function readLaterKeys(
  table: string,
  runs: readonly Pick<BookRun, "run" | "closed">[],
): Promise<LaterKeys | undefined> {
  const found: SentKeys[] = [];
  let keys = 0;
  for (const { run, closed } of runs) {
    try {
      const sent: SentKeys = { entries: [], updates: new StatesOfNumbers() };
      let isLost = false;
      const { number } = await readJournal(join(placeOfRun(table, run), "journal"), (entry) => {
        isLost ||= entry.entry === "keysLost";
        if (entry.entry === "outcome" && entry.kind === "update")
          for (const range of entry.ordinals) sent.updates.set(range, entry.outcome);
        if (entry.entry !== "keys") return;
        keys += entry.hashes.length / KEY_CHARS;
        if (keys <= MOST_KEYS) sent.entries.push(entry);
      });
      if (isLost || number < (closed?.keys ?? 0) || keys > MOST_KEYS) return NOTHING_KNOWN;
      found.push(sent);
    } catch (error) {
      const isLost = error instanceof RecPushError || (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!isLost) throw error;
      return NOTHING_KNOWN;
    }
  }
  return found.some(({ entries }) => entries.length > 0) ? new LaterKeys(found) : undefined;
}

/** The keys that a run noted, and what became of its updates. */
interface SentKeys {
  readonly entries: NotedKeys[];
  readonly updates: StatesOfNumbers<OutcomeEntry["outcome"]>;
}

/** The keys of accepted updates, each with all fields that were given for it. */
export class LaterKeys {
  /** By the hash of a key in base64. */
  readonly #given = new Map<string, ReadonlySet<string>>();
  readonly #isKnown: boolean;

  /** Without the notes of the runs nothing is known. */
  constructor(sent?: readonly SentKeys[]) {
    this.#isKnown = sent !== undefined;
    for (const { entries, updates } of sent ?? [])
      for (const { hashes, ordinals, sets, setOf } of entries) {
        const keys = keysIn(hashes);
        // Keys with equal fields share one set, so that a key takes little memory.
        const fields = sets.map((set) => new Set(set));
        let at = 0;
        for (const [first, last] of ordinals)
          for (let ordinal = first; ordinal <= last; ordinal++, at++)
            if (updates.of(ordinal) === "accepted") this.#give(keys[at]!, fields[setOf[at]!]!);
      }
  }

  overlap(update: PreparedRecord): Overlap {
    return update.key === undefined ? "none" : this.#overlap(spellKeys([update.key]), fieldsOf(update));
  }

  /** True if all fields of all these updates were given. */
  overtakeAll({ hashes, sets, setOf }: NotedKeys): boolean {
    const keys = keysIn(hashes);
    return setOf.every((set, at) => this.#overlap(keys[at]!, sets[set]!) === "all");
  }

  #overlap(key: string, fields: readonly string[]): Overlap {
    if (!this.#isKnown) return "unknown";
    const set = this.#given.get(key);
    if (set === undefined) return "none";
    const given = fields.filter((field) => set.has(field)).length;
    return given === fields.length ? "all" : given > 0 ? "some" : "none";
  }

  #give(key: string, fields: ReadonlySet<string>): void {
    const before = this.#given.get(key) ?? fields;
    if ([...fields].every((field) => before.has(field))) this.#given.set(key, before);
    else this.#given.set(key, new Set([...before, ...fields]));
  }
}

/** For runs whose journals are lost, or that sent more keys than are compared. */
export const NOTHING_KNOWN = new LaterKeys();

function keysIn(hashes: string): readonly string[] {
  return hashes.match(KEY) ?? [];
}
