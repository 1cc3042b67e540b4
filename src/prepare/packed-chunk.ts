import type { PreparedRecord, RecordKind, RecordText } from "../model/record.ts";
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
  /** Of the texts, with the comma behind each: those of the updates come first, so that each batch is one stretch. */
  readonly updateBytes: number;
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

/** What the records of a chunk share: their numbers, and their keys one after the other. */
interface UnpackedHead {
  readonly numbers: Uint32Array;
  readonly keys: string;
  readonly text: RecordText;
}

/**
 * A record as its place in a chunk: most of its numbers, and its key, are hardly ever asked for. A class, because V8 may
 * allocate what an object literal makes in its old generation from the start, once many such objects have outlived a
 * collection of the young one: these would then fill 50 MB before they are collected.
 */
class UnpackedRecord implements PreparedRecord {
  ordinal = 0;
  readonly start: number;
  private readonly head: UnpackedHead;
  private readonly from: number;
  private readonly keyStart: number;

  /** `from`: where its numbers begin; `start`: where its text begins; `keyStart`: where its key does. */
  constructor(head: UnpackedHead, from: number, start: number, keyStart: number) {
    this.start = start;
    this.head = head;
    this.from = from;
    this.keyStart = keyStart;
  }

  get line(): number {
    return this.head.numbers[this.from]!;
  }

  get rowStart(): number {
    const { numbers } = this.head;
    return numbers[this.from + 1]! * TWO_TO_32 + numbers[this.from + 2]!;
  }

  get rowEnd(): number {
    return this.rowStart + this.head.numbers[this.from + 3]!;
  }

  get bytes(): number {
    return this.head.numbers[this.from + 4]!;
  }

  get kind(): RecordKind {
    return this.head.numbers[this.from + 5] === 0 ? "create" : "update";
  }

  get key(): string | undefined {
    const { numbers, keys } = this.head;
    const length = numbers[this.from + 5]! - 1;
    return length < 0 ? undefined : keys.slice(this.keyStart, this.keyStart + length);
  }

  get text(): RecordText {
    return this.head.text;
  }
}

/**
 * Restores the chunk: `head` is the part before the texts, at the start of its memory, which must stay as it is as long
 * as the records are used.
 */
export function unpackChunk(layout: PackedLayout, head: Buffer, text: RecordText): PreparedChunk {
  const numbers = new Uint32Array(head.buffer, head.byteOffset, layout.records * NUMBERS);
  let at = numbers.byteLength;
  const keys = head.toString(layout.hasWideKeys ? "utf16le" : "latin1", at, (at += layout.keyBytes));
  const others = head.toString("utf8", at, at + layout.otherBytes);
  const shared = { numbers, keys, text };
  const records: PreparedRecord[] = [];
  let updateStart = 0;
  let createStart = layout.updateBytes;
  let keyStart = 0;
  for (let from = 0; from < numbers.length; from += NUMBERS) {
    const bytes = numbers[from + 4]! + 1;
    const keyLength = numbers[from + 5]! - 1;
    if (keyLength < 0) {
      records.push(new UnpackedRecord(shared, from, createStart, keyStart));
      createStart += bytes;
    } else {
      records.push(new UnpackedRecord(shared, from, updateStart, keyStart));
      updateStart += bytes;
      keyStart += keyLength;
    }
  }
  if (others === "") return { records, rejected: [], empty: [] };
  return { records, ...(JSON.parse(others) as Pick<PreparedChunk, "rejected" | "empty">) };
}
