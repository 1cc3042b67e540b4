import type { PreparedRecord, RecordText } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import { joinedBytes, joinRecords } from "../../send/request-body.ts";

/** How a packed stretch is laid out: numbers, keys, problems, texts, one behind the other. */
export interface PackedLayout {
  readonly records: number;
  readonly keyBytes: number;
  /** True where the keys are UTF-16, false where they are Latin-1. */
  readonly hasWideKeys: boolean;
  readonly problemBytes: number;
  readonly textBytes: number;
}

/** A stretch of records and the problems of rows beside them. */
export interface Stretch {
  readonly records: readonly PreparedRecord[];
  readonly problems: readonly RowProblem[];
}

/** Unsigned integers of 32 bits for each record: line, row, ordinal, size, and the key's length plus one. */
export const NUMBERS = 5;
export const NUMBER_BYTES = 4;
/** Any character that Latin-1 does not hold. */
export const WIDE = /[^\0-\u00ff]/;

/** Size of what stands before the texts. */
export function headBytes({ records, keyBytes, problemBytes }: PackedLayout): number {
  return records * NUMBERS * NUMBER_BYTES + keyBytes + problemBytes;
}

/** Gives a buffer of so many bytes that begins at the start of its memory. */
export type Allocate = (bytes: number) => Buffer;

/** A stretch as bytes. */
export interface Packed {
  readonly layout: PackedLayout;
  readonly bytes: Buffer;
}

/** Packs a stretch into the buffer that `allocate` gives. */
export function packStretch({ records, problems }: Stretch, allocate: Allocate): Packed {
  const keys = records.map(({ key }) => key ?? "").join("");
  const hasWideKeys = WIDE.test(keys);
  const told = problems.length === 0 ? "" : JSON.stringify(problems);
  const layout = {
    records: records.length,
    keyBytes: hasWideKeys ? 2 * keys.length : keys.length,
    hasWideKeys,
    problemBytes: Buffer.byteLength(told),
    textBytes: joinedBytes(records),
  };
  const packed = allocate(headBytes(layout) + layout.textBytes);
  const numbers = new Uint32Array(packed.buffer, 0, records.length * NUMBERS);
  let at = numbers.byteLength;
  at += packed.write(keys, at, hasWideKeys ? "utf16le" : "latin1");
  at += packed.write(told, at);
  let to = 0;
  for (const { line, row, ordinal, key, bytes } of records) {
    numbers[to] = line;
    numbers[to + 1] = row;
    numbers[to + 2] = ordinal;
    numbers[to + 3] = bytes;
    numbers[to + 4] = key === undefined ? 0 : key.length + 1;
    to += NUMBERS;
  }
  joinRecords(records, packed, at);
  return { layout, bytes: packed };
}

/** The stretch again: `head` is what stands before the texts, at the start of its memory. */
export function unpackStretch(layout: PackedLayout, head: Buffer, text: RecordText): Stretch {
  const numbers = new Uint32Array(head.buffer, head.byteOffset, layout.records * NUMBERS);
  let at = numbers.byteLength;
  const keys = head.toString(layout.hasWideKeys ? "utf16le" : "latin1", at, (at += layout.keyBytes));
  const told = head.toString("utf8", at, at + layout.problemBytes);
  const records: PreparedRecord[] = [];
  let start = 0;
  let keyStart = 0;
  for (let from = 0; from < numbers.length; from += NUMBERS) {
    const bytes = numbers[from + 3]!;
    const keyLength = numbers[from + 4]! - 1;
    const key = keyLength < 0 ? undefined : keys.slice(keyStart, keyStart + keyLength);
    records.push({
      line: numbers[from]!,
      key,
      row: numbers[from + 1]!,
      ordinal: numbers[from + 2]!,
      text,
      start,
      bytes,
    });
    start += bytes + 1;
    keyStart += Math.max(0, keyLength);
  }
  return { records, problems: told === "" ? [] : (JSON.parse(told) as RowProblem[]) };
}
