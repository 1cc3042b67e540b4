import type { PreparedRecord, RecordText } from "../model/record.ts";
import type { RejectedRow } from "../model/row.ts";

/** A row with nothing to send. */
export interface EmptyRow {
  readonly line: number;
  readonly start: number;
}

/** A number of consecutive rows as records, each list in file order; every row is in one of the lists. */
export interface PreparedChunk {
  readonly records: readonly PreparedRecord[];
  readonly rejected: readonly RejectedRow[];
  readonly empty: readonly EmptyRow[];
}

/** The layout of a packed chunk: numbers, keys, the rows that are not records, texts, in this order. */
export interface PackedLayout {
  readonly records: number;
  readonly keyBytes: number;
  /** True if the keys are UTF-16, false if they are Latin-1. */
  readonly hasWideKeys: boolean;
  readonly otherBytes: number;
  readonly textBytes: number;
}

/** A chunk as bytes; they begin at the start of their memory. */
export interface PackedChunk {
  readonly layout: PackedLayout;
  readonly bytes: Buffer;
}

/** Returns a buffer of this size that begins at the start of its memory. */
export type Allocate = (bytes: number) => Buffer;

/**
 * 32-bit unsigned integers for each record: line, row's start in two halves, row's size, record's size, and the key's
 * length plus one.
 */
export const NUMBERS = 6;
export const NUMBER_BYTES = 4;
export const TWO_TO_32 = 2 ** 32;

/** Size of the part before the texts. */
export function headBytes({ records, keyBytes, otherBytes }: PackedLayout): number {
  return records * NUMBERS * NUMBER_BYTES + keyBytes + otherBytes;
}

/**
 * A class, because V8 may allocate what an object literal makes in its old generation from the start, once many such objects have
 * outlived a collection of the young one: these would then fill 50 MB before they are collected.
 */
class UnpackedRecord implements PreparedRecord {
  readonly line: number;
  readonly rowStart: number;
  readonly rowEnd: number;
  readonly key: string | undefined;
  ordinal = 0;
  readonly text: RecordText;
  readonly start: number;
  readonly bytes: number;

  /** `from`: where its numbers begin; `start`: where its text begins in `text`. */
  constructor(numbers: Uint32Array, from: number, key: string | undefined, text: RecordText, start: number) {
    this.line = numbers[from]!;
    this.rowStart = numbers[from + 1]! * TWO_TO_32 + numbers[from + 2]!;
    this.rowEnd = this.rowStart + numbers[from + 3]!;
    this.key = key;
    this.text = text;
    this.start = start;
    this.bytes = numbers[from + 4]!;
  }
}

/** Restores the chunk: `head` is the part before the texts, at the start of its memory. */
export function unpackChunk(layout: PackedLayout, head: Buffer, text: RecordText): PreparedChunk {
  const numbers = new Uint32Array(head.buffer, head.byteOffset, layout.records * NUMBERS);
  let at = numbers.byteLength;
  const keys = head.toString(layout.hasWideKeys ? "utf16le" : "latin1", at, (at += layout.keyBytes));
  const others = head.toString("utf8", at, at + layout.otherBytes);
  const records: PreparedRecord[] = [];
  let start = 0;
  let keyStart = 0;
  for (let from = 0; from < numbers.length; from += NUMBERS) {
    const keyLength = numbers[from + 5]! - 1;
    const key = keyLength < 0 ? undefined : keys.slice(keyStart, keyStart + keyLength);
    const record = new UnpackedRecord(numbers, from, key, text, start);
    records.push(record);
    start += record.bytes + 1;
    keyStart += Math.max(0, keyLength);
  }
  if (others === "") return { records, rejected: [], empty: [] };
  return { records, ...(JSON.parse(others) as Pick<PreparedChunk, "rejected" | "empty">) };
}
