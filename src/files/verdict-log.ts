import type { RejectedRow } from "../model/rows.ts";
import { fieldsOf, type PreparedRecord } from "../model/settlement.ts";
import { partitionOf, Spill } from "../store/spill.ts";
import {
  describeDoubt,
  rejectionOf,
  refusalOf,
  type Rejection,
  type RowDoubt,
  type RowOutcome,
} from "./outcome-log.ts";

/** Bytes of content whose verdicts are held in memory at once when they are read back; a parameter for tests only. */
const BLOCK_BYTES = 4_194_304;
/** One partition per block. */
const BLOCKS_OF_INPUT = 2 ** 32;

/** Why a row has to be mended, and which bytes of the content it spans. */
export interface Verdict extends Rejection {
  readonly start: number;
  readonly end: number;
  /** A later row of its key that was accepted and gives fields of it. */
  readonly later: LaterRow | undefined;
}

/**
 * Keeps the verdicts on rows that were rejected or refused, when they are made, in private files that are read back in file
 * order: so no row is judged a second time.
 */
export class VerdictLog {
  readonly #spill: Spill;
  readonly #blockBytes: number;
  readonly #laterRows: LaterRows;
  /** By input: how many verdicts there are, and whether any was added, or got a later row, since they were last read. */
  readonly #inputs = new Map<number, { rows: number; isChanged: boolean }>();

  constructor(directory: string, blockBytes = BLOCK_BYTES) {
    this.#spill = new Spill(directory);
    this.#blockBytes = blockBytes;
    this.#laterRows = new LaterRows(directory, (place, { input, line, isWhole }) =>
      this.#add(place, [place.start, input, line, isWhole]),
    );
  }

  /** `input` counts the inputs of the command from 0. */
  addRejected(input: number, { line, start, end, key, fields = [], problems }: RejectedRow): void {
    this.#addRow({ input, start }, { line, ...rejectionOf(problems), end });
    if (key !== undefined) this.#laterRows.addReject(key, { input, start, fields });
  }

  addRefused(input: number, record: PreparedRecord, outcome: RowOutcome): void {
    const { line, rowStart: start, rowEnd: end, key } = record;
    this.#addRow({ input, start }, { line, ...refusalOf(outcome), end });
    if (key !== undefined) this.#laterRows.addReject(key, { input, start, fields: fieldsOf(record) });
  }

  /** For rows in doubt the field is the number of their batch. */
  addInDoubt(input: number, { line, rowStart: start, rowEnd: end }: PreparedRecord, doubt: RowDoubt): void {
    this.#addRow({ input, start }, { line, ...describeDoubt(doubt), end });
  }

  /** Adds accepted rows, which may be later ones with the key of another. */
  addAccepted(input: number, records: Iterable<PreparedRecord>): void {
    if (!this.#laterRows.needsAccepted) return;
    for (const record of records) {
      const { key, rowStart: start, line } = record;
      if (key === undefined || !this.#laterRows.awaits(key)) continue;
      this.#laterRows.addAccepted(key, { input, start, line, fields: fieldsOf(record) });
    }
  }

  /** To be awaited from time to time between additions. */
  async settle(): Promise<void> {
    await this.#spill.settle();
    await this.#laterRows.settle();
  }

  /** True if an input has verdicts that have changed since they were last read. */
  async isChanged(input: number): Promise<boolean> {
    await this.#laterRows.findSpilled();
    const { rows, isChanged } = this.#inputs.get(input) ?? { rows: 0, isChanged: false };
    return rows > 0 && isChanged;
  }

  /** How many rows of an input have to be mended. */
  count(input: number): number {
    return this.#inputs.get(input)?.rows ?? 0;
  }

  /** The verdicts on one input in file order, several at a time. */
  async *read(input: number): AsyncGenerator<readonly Verdict[]> {
    const about = this.#inputs.get(input);
    if (about !== undefined) about.isChanged = false;
    const first = input * BLOCKS_OF_INPUT;
    const blocks = this.#spill.numbers.filter((block) => block >= first && block < first + BLOCKS_OF_INPUT);
    for (const block of blocks.sort((left, right) => left - right)) yield await this.#readBlock(block);
  }

  async remove(): Promise<void> {
    await this.#spill.remove();
    await this.#laterRows.remove();
  }

  #addRow(place: RowPlace, rejection: Rejection & { readonly end: number }): void {
    const about = this.#inputs.get(place.input) ?? { rows: 0, isChanged: true };
    this.#inputs.set(place.input, about);
    about.rows++;
    this.#add(place, { start: place.start, ...rejection });
  }

  /** A row, or only its start with the later row that was accepted. */
  #add({ input, start }: RowPlace, entry: LoggedRow | LoggedLater): void {
    this.#inputs.get(input)!.isChanged = true;
    const block = Math.floor(start / this.#blockBytes);
    this.#spill.add(input * BLOCKS_OF_INPUT + block, JSON.stringify(entry));
  }

  async #readBlock(block: number): Promise<readonly Verdict[]> {
    const rows: LoggedRow[] = [];
    const laterRows = new Map<number, LaterRow>();
    for await (const lines of this.#spill.read(block)) {
      for (const line of lines) {
        const entry = JSON.parse(line) as LoggedRow | LoggedLater;
        if (Array.isArray(entry))
          laterRows.set(entry[0], { input: entry[1], line: entry[2], isWhole: entry[3] });
        else rows.push(entry);
      }
    }
    rows.sort((left, right) => left.start - right.start);
    return rows.map((row) => Object.assign(row, { later: laterRows.get(row.start) }));
  }
}

type LoggedRow = Omit<Verdict, "later">;

/** The start of a row, and what is known of the later one. */
type LoggedLater = [start: number, input: number, line: number, isWhole: boolean];

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

/** A row with a key, and the fields that it gives, without the key. */
export interface KeyedRow extends RowPlace {
  readonly fields: readonly string[];
}

/** An accepted row. */
export interface AcceptedRow extends KeyedRow {
  readonly line: number;
}

/** A later accepted row: its input and its line, and whether it and others give all fields of the row, or only some. */
export interface LaterRow extends Pick<AcceptedRow, "input" | "line"> {
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
 * give all their fields, or some. Exact and in bounded memory: if there are too many keys to hold, these and all accepted rows
 * are distributed over files.
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

  addReject(key: string, row: KeyedRow): void {
    if (this.#isSpilling) {
      this.#write(key, row);
      return;
    }
    this.#waiting.addReject(key, row);
    if (this.#waiting.keys > this.#mostKeys) this.#spillWaiting();
  }

  /** False if no accepted row can overtake a reject that was added so far. */
  get needsAccepted(): boolean {
    return this.#isSpilling || this.#waiting.keys > 0;
  }

  /** True if a waiting reject has this key. */
  awaits(key: string): boolean {
    return this.#isSpilling || this.#waiting.has(key);
  }

  addAccepted(key: string, row: AcceptedRow): void {
    if (this.#isSpilling) this.#write(key, row, row.line);
    else this.#waiting.addAccepted(key, row);
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /** Reports those whose keys are in files; calling this again may report one again. */
  async findSpilled(): Promise<void> {
    for (const partition of this.#spill.numbers) {
      const waiting = new WaitingRejects(this.#onFound);
      for await (const { key, row, line } of this.#entries(partition))
        if (line === undefined) waiting.addReject(key, row);
      for await (const { key, row, line } of this.#entries(partition))
        if (line !== undefined) waiting.addAccepted(key, { ...row, line });
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
  #write(key: string, { input, start, fields }: KeyedRow, line?: number): void {
    this.#spill.add(partitionOf(key, PARTITIONS), JSON.stringify([key, input, start, fields, line]));
  }

  async *#entries(partition: number): AsyncGenerator<SpilledRow> {
    for await (const lines of this.#spill.read(partition)) {
      for (const text of lines) {
        type Written = [string, number, number, readonly string[], number | null];
        const [key, input, start, fields, line] = JSON.parse(text) as Written;
        yield { key, row: { input, start, fields }, line: line ?? undefined };
      }
    }
  }
}

/** A row in a file. */
interface SpilledRow {
  readonly key: string;
  readonly row: KeyedRow;
  /** Only of an accepted row. */
  readonly line: number | undefined;
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

  addReject(key: string, { input, start, fields }: KeyedRow): void {
    const reject = { input, start, missing: new Set(fields), isTold: false };
    const others = this.#byKey.get(key);
    if (others === undefined) this.#byKey.set(key, [reject]);
    else others.push(reject);
  }

  addAccepted(key: string, row: AcceptedRow): void {
    const left = (this.#byKey.get(key) ?? []).filter((reject) => {
      if (!isBefore(reject, row)) return true;
      const before = reject.missing.size;
      for (const field of row.fields) reject.missing.delete(field);
      const isWhole = reject.missing.size === 0;
      if (isWhole || (reject.missing.size < before && !reject.isTold))
        this.#onFound(reject, { input: row.input, line: row.line, isWhole });
      reject.isTold ||= reject.missing.size < before;
      return !isWhole;
    });
    if (left.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, left);
  }
}

function isBefore(row: RowPlace, other: RowPlace): boolean {
  return row.input === other.input ? row.start < other.start : row.input < other.input;
}
