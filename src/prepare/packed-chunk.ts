import { KEY_FIELD } from "../fields/columns/other-columns.ts";
import type { RejectedRow } from "../model/rows.ts";
import { type ChunkRecords, type RecordKind, RecordList } from "../model/settlement.ts";

const COMMA = 0x2c;
const FIRST_BYTES = 262_144;
const FIRST_RECORDS = 1024;
const MORE_BYTES = 4096;

/** For each record: line, row's start and end, where its text and its key begin and end, and its ordinal. */
const NUMBERS = 8;
const [LINE, ROW_START, ROW_END, START, END, KEY_START, KEY_END, ORDINAL] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** A row with nothing to send. */
export interface EmptyRow {
  readonly line: number;
  readonly start: number;
}

/** A number of consecutive rows as records, each list in file order; every row is in one of the lists. */
export interface PreparedChunk {
  readonly records: RecordList;
  readonly rejected: readonly RejectedRow[];
  readonly empty: readonly EmptyRow[];
}

/** A chunk as plain data, which has its memory to itself: it can be handed to another thread. */
export interface PackedChunk extends Omit<PreparedChunk, "records"> {
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The records in file order, with a comma behind each. */
  readonly text: Uint8Array<ArrayBuffer>;
}

/** Restores the chunk; its bytes must stay as they are as long as the records are used. */
export function unpackChunk({ numbers, text, rejected, empty }: PackedChunk): PreparedChunk {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return { records: RecordList.of(new PackedRecords(numbers, bytes)), rejected, empty };
}

/** The records of a chunk, as the numbers that it was packed with. */
class PackedRecords implements ChunkRecords {
  readonly length: number;
  readonly text: Buffer;
  readonly #numbers: Float64Array;

  constructor(numbers: Float64Array, text: Buffer) {
    this.length = numbers.length / NUMBERS;
    this.text = text;
    this.#numbers = numbers;
  }

  line(index: number): number {
    return this.#numbers[index * NUMBERS + LINE]!;
  }

  rowStart(index: number): number {
    return this.#numbers[index * NUMBERS + ROW_START]!;
  }

  rowEnd(index: number): number {
    return this.#numbers[index * NUMBERS + ROW_END]!;
  }

  start(index: number): number {
    return this.#numbers[index * NUMBERS + START]!;
  }

  bytes(index: number): number {
    return this.#numbers[index * NUMBERS + END]! - this.start(index);
  }

  kind(index: number): RecordKind {
    return this.#numbers[index * NUMBERS + KEY_END] === 0 ? "create" : "update";
  }

  key(index: number): string | undefined {
    if (this.kind(index) === "create") return undefined;
    const from = index * NUMBERS;
    const key = this.text.toString("utf8", this.#numbers[from + KEY_START], this.#numbers[from + KEY_END]);
    return key.includes("\\") ? (JSON.parse(`"${key}"`) as string) : key;
  }

  ordinal(index: number): number {
    return this.#numbers[index * NUMBERS + ORDINAL]!;
  }

  setOrdinal(index: number, ordinal: number): void {
    this.#numbers[index * NUMBERS + ORDINAL] = ordinal;
  }
}

/** Where a row is. */
export type PackedRow = Pick<RejectedRow, "line" | "start" | "end">;

/** Inside of a string its quotes would be escaped. */
const BEFORE_KEY = Buffer.from(`"${KEY_FIELD}":"`);

/** Collects the records of one chunk after another; each is written byte by byte. */
export class RecordPacker {
  /** Where the next record is written: in `text` from `at` on, after {@link reserve}. */
  text: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(FIRST_BYTES);
  at = 0;
  #records = 0;
  #numbers = new Float64Array(FIRST_RECORDS * NUMBERS);

  /** Makes room for a record of this size. */
  reserve(bytes: number): void {
    const needed = this.at + bytes + 1;
    if (needed > this.text.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.text.length));
      this.text.copy(larger, 0, 0, this.at);
      this.text = larger;
    }
    if ((this.#records + 1) * NUMBERS > this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
  }

  /** Adds the record of a row that was written up to `end`; `key` is `undefined` if it has none. */
  add(row: PackedRow, end: number, key: string | undefined): void {
    if (key === undefined || key === "") return this.addWritten(row, end, 0, 0);
    const keyStart = this.text.indexOf(BEFORE_KEY, this.at) + BEFORE_KEY.length;
    this.addWritten(row, end, keyStart, keyStart + Buffer.byteLength(JSON.stringify(key)) - 2);
  }

  /** Like {@link add}, for a key that is known to be there in `text`; an empty key counts as none. */
  addWritten({ line, start, end: rowEnd }: PackedRow, end: number, keyStart: number, keyEnd: number): void {
    const numbers = this.#numbers;
    const to = this.#records * NUMBERS;
    numbers[to + LINE] = line;
    numbers[to + ROW_START] = start;
    numbers[to + ROW_END] = rowEnd;
    numbers[to + START] = this.at;
    numbers[to + END] = end;
    numbers[to + KEY_START] = keyStart;
    numbers[to + KEY_END] = keyStart === keyEnd ? 0 : keyEnd;
    this.#records += 1;
    this.text[end] = COMMA;
    this.at = end + 1;
  }

  /** Hands over the collected records, with the rows that are not records; then starts again. */
  pack(others: Omit<PreparedChunk, "records">): PackedChunk {
    const numbers = this.#numbers.subarray(0, this.#records * NUMBERS);
    const text = this.text.subarray(0, this.at);
    // Chunks of rows give nearly as many records and bytes each; several of them wait to be sent.
    this.#numbers = new Float64Array(NUMBERS * Math.ceil(1.1 * this.#records + 1));
    this.text = Buffer.allocUnsafeSlow(Math.ceil(1.1 * this.at) + MORE_BYTES);
    this.#records = this.at = 0;
    return { numbers, text, ...others };
  }
}
