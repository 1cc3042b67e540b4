import { fieldsOf } from "../model/settlement.ts";
import { partitionOf, Spill } from "../store/spill.ts";
import type { EndedRow } from "./row-ends.ts";

/** Keys of rejects that are held in memory at once; a parameter for tests only. */
const MOST_KEYS = 131_072;
const PARTITIONS = 256;

/** A row among the inputs of a command. */
export interface RowPlace {
  /** Which input, counted from 0. */
  readonly input: number;
  /** The byte of its content at which the row begins. */
  readonly start: number;
}

/** A row with a key, and the fields that it gives, without the key. `line` is only set for a row that was accepted. */
export interface KeyedRow extends RowPlace {
  readonly fields: readonly string[];
  readonly line?: number | undefined;
}

/** A later accepted row: its input and its line, and whether it and others give all fields of the row, or only some. */
export interface LaterRow {
  readonly input: number;
  readonly line: number;
  readonly isWhole: boolean;
}

/** A reject, and its fields that no later row has given so far. */
interface WaitingReject extends RowPlace {
  readonly missing: Set<string>;
  /** True once a later row has given some. */
  isTold: boolean;
}

/**
 * Finds the rejects that are overtaken: later rows with their key were accepted, in the same input or a later one, and
 * give all their fields, or some. Rows are to be added in their order. Exact and in bounded memory: if there are too many keys to
 * hold, these and all accepted rows are distributed over files.
 */
export class LaterRows {
  readonly #spill: Spill;
  readonly #mostKeys: number;
  readonly #onFound: (reject: RowPlace, later: LaterRow) => void;
  #waiting: WaitingRejects;
  #isSpilling = false;

  constructor(directory: string, onFound: (reject: RowPlace, later: LaterRow) => void, mostKeys = MOST_KEYS) {
    this.#spill = new Spill(directory);
    this.#onFound = onFound;
    this.#mostKeys = mostKeys;
    this.#waiting = new WaitingRejects(onFound);
  }

  /** False if no accepted row can overtake a reject that was added so far. */
  get awaitsRows(): boolean {
    return this.#isSpilling || this.#waiting.keys > 0;
  }

  /** Adds a row that is accepted, or a reject. */
  addRow(input: number, { line, start, rejected, record, how }: EndedRow): void {
    const isAccepted = how.outcome === "accepted";
    const key = (record ?? rejected)?.key;
    if (key === undefined || (isAccepted && !this.#isSpilling && !this.#waiting.has(key))) return;
    const fields = record === undefined ? (rejected?.fields ?? []) : fieldsOf(record);
    this.add(key, { input, start, fields, line: isAccepted ? line : undefined });
  }

  add(key: string, row: KeyedRow): void {
    if (this.#isSpilling) this.#write(key, row);
    else this.#waiting.add(key, row);
    if (!this.#isSpilling && this.#waiting.keys > this.#mostKeys) this.#spillWaiting();
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /** Reports those whose keys are in files; calling this again may report one again. */
  async findSpilled(): Promise<void> {
    for (const partition of this.#spill.numbers) {
      const waiting = new WaitingRejects(this.#onFound);
      for await (const lines of this.#spill.read(partition)) {
        for (const text of lines) {
          type Written = [string, number, number, readonly string[], number | null];
          const [key, input, start, fields, line] = JSON.parse(text) as Written;
          waiting.add(key, { input, start, fields, line: line ?? undefined });
        }
      }
    }
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  #spillWaiting(): void {
    this.#isSpilling = true;
    for (const [key, { input, start, missing }] of this.#waiting.rejects())
      this.#write(key, { input, start, fields: [...missing] });
    this.#waiting = new WaitingRejects(this.#onFound);
  }

  // A key may hold a line feed or a lone surrogate, which a text file would not preserve.
  #write(key: string, { input, start, fields, line }: KeyedRow): void {
    this.#spill.add(partitionOf(key, PARTITIONS), JSON.stringify([key, input, start, fields, line]));
  }
}

/** Rejects that are not overtaken so far, by key. */
class WaitingRejects {
  readonly #onFound: (reject: RowPlace, later: LaterRow) => void;
  readonly #byKey = new Map<string, WaitingReject[]>();

  constructor(onFound: (reject: RowPlace, later: LaterRow) => void) {
    this.#onFound = onFound;
  }

  get keys(): number {
    return this.#byKey.size;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  *rejects(): Generator<[key: string, reject: WaitingReject]> {
    for (const [key, rejects] of this.#byKey) for (const reject of rejects) yield [key, reject];
  }

  add(key: string, { input, start, fields, line }: KeyedRow): void {
    let rejects = this.#byKey.get(key) ?? [];
    if (line === undefined) rejects.push({ input, start, missing: new Set(fields), isTold: false });
    else rejects = rejects.filter((reject) => !this.#overtakes({ input, line }, fields, reject));
    if (rejects.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, rejects);
  }

  /** True if no field of the reject is missing any more. */
  #overtakes(row: Omit<LaterRow, "isWhole">, fields: readonly string[], reject: WaitingReject): boolean {
    const before = reject.missing.size;
    for (const field of fields) reject.missing.delete(field);
    const isWhole = reject.missing.size === 0;
    if (isWhole || (reject.missing.size < before && !reject.isTold))
      this.#onFound(reject, { ...row, isWhole });
    reject.isTold ||= reject.missing.size < before;
    return isWhole;
  }
}
