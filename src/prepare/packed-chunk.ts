import type { RejectedRow } from "../model/rows.ts";
import { type ChunkRecords, type RecordKind, RecordList } from "../model/settlement.ts";

const COMMA = 0x2c;
const FIRST_TEXT_BYTES = 262_144;
const FIRST_KEY_BYTES = 16_384;
const FIRST_RECORDS = 1024;
/** Fewer are copied sooner one by one. */
const FEW_BYTES = 512;
/** Any character that is not in Latin-1. */
const WIDE = /[^\0-\u00ff]/;

/**
 * 32-bit unsigned integers for each record: line, row's start in two halves, row's size, record's size, and the key's
 * length plus one.
 */
const NUMBERS = 6;
const NUMBER_BYTES = 4;
const TWO_TO_32 = 2 ** 32;

/** Numbers of 64 bits for each record that follow from the others: where its text and its key begin, and its ordinal. */
const PLACES = 3;

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

/** Size of the part before the texts. */
function headBytes({ records, keyBytes, otherBytes }: PackedLayout): number {
  return records * NUMBERS * NUMBER_BYTES + keyBytes + otherBytes;
}

/** Restores the chunk; its bytes must stay as they are as long as the records are used: until `onSettled` is called. */
export function unpackChunk({ layout, bytes }: PackedChunk, onSettled?: () => void): PreparedChunk {
  const numberBytes = layout.records * NUMBERS * NUMBER_BYTES;
  const keysEnd = numberBytes + layout.keyBytes;
  const others = bytes.toString("utf8", keysEnd, keysEnd + layout.otherBytes);
  const records = RecordList.of(
    new PackedRecords({
      numbers: new Uint32Array(bytes.buffer, bytes.byteOffset, layout.records * NUMBERS),
      keys: bytes.subarray(numberBytes, keysEnd),
      hasWideKeys: layout.hasWideKeys,
      updateBytes: layout.updateBytes,
      text: bytes.subarray(headBytes(layout)),
      places: new Float64Array(layout.records * PLACES),
      onSettled,
    }),
  );
  if (others === "") return { records, rejected: [], empty: [] };
  return { records, ...(JSON.parse(others) as Pick<PreparedChunk, "rejected" | "empty">) };
}

/** Where the records of a chunk are. */
interface UnpackedPlace {
  readonly numbers: Uint32Array;
  /** One after the other. */
  readonly keys: Buffer;
  /** True if the keys are UTF-16, false if they are Latin-1. */
  readonly hasWideKeys: boolean;
  /** Of the texts, with the comma behind each: those of the updates come first. */
  readonly updateBytes: number;
  readonly text: Buffer;
  /** Room for {@link PLACES} numbers for each record. */
  readonly places: Float64Array;
  /** Called once all records are settled. */
  readonly onSettled: (() => void) | undefined;
}

/** The records of a chunk, as the numbers that it was packed with. */
class PackedRecords implements ChunkRecords {
  readonly length: number;
  /** Undefined once all records are settled. */
  #place: UnpackedPlace | undefined;
  /** Made when the first key is asked for, which hardly anybody does where all are different. */
  #keys: string | undefined;
  #unsettled: number;

  constructor(place: UnpackedPlace) {
    this.length = place.numbers.length / NUMBERS;
    this.#place = place;
    this.#unsettled = this.length;
    fillPlaces(place);
  }

  get text(): Buffer {
    return this.#known.text;
  }

  line(index: number): number {
    return this.#known.numbers[index * NUMBERS]!;
  }

  rowStart(index: number): number {
    const { numbers } = this.#known;
    return numbers[index * NUMBERS + 1]! * TWO_TO_32 + numbers[index * NUMBERS + 2]!;
  }

  rowEnd(index: number): number {
    return this.rowStart(index) + this.#known.numbers[index * NUMBERS + 3]!;
  }

  bytes(index: number): number {
    return this.#known.numbers[index * NUMBERS + 4]!;
  }

  kind(index: number): RecordKind {
    return this.#known.numbers[index * NUMBERS + 5] === 0 ? "create" : "update";
  }

  key(index: number): string | undefined {
    const { numbers, places, keys, hasWideKeys } = this.#known;
    const length = numbers[index * NUMBERS + 5]! - 1;
    if (length < 0) return undefined;
    this.#keys ??= keys.toString(hasWideKeys ? "utf16le" : "latin1");
    const start = places[index * PLACES + 1]!;
    return this.#keys.slice(start, start + length);
  }

  start(index: number): number {
    return this.#known.places[index * PLACES]!;
  }

  ordinal(index: number): number {
    return this.#known.places[index * PLACES + 2]!;
  }

  setOrdinal(index: number, ordinal: number): void {
    this.#known.places[index * PLACES + 2] = ordinal;
  }

  settled(records: number): void {
    const { onSettled } = this.#known;
    this.#unsettled -= records;
    if (this.#unsettled > 0) return;
    this.#place = undefined;
    onSettled?.();
  }

  get #known(): UnpackedPlace {
    if (this.#place === undefined)
      throw new Error("a record is read after all records of its chunk were settled");
    return this.#place;
  }
}

function fillPlaces({ numbers, updateBytes, places }: UnpackedPlace): void {
  let updateStart = 0;
  let createStart = updateBytes;
  let keyStart = 0;
  for (let from = 0, to = 0; from < numbers.length; from += NUMBERS, to += PLACES) {
    const bytes = numbers[from + 4]! + 1;
    const keyLength = numbers[from + 5]! - 1;
    places[to + 1] = keyStart;
    if (keyLength < 0) {
      places[to] = createStart;
      createStart += bytes;
    } else {
      places[to] = updateStart;
      updateStart += bytes;
      keyStart += keyLength;
    }
  }
}

/** Where a row is. */
export type PackedRow = Pick<RejectedRow, "line" | "start" | "end">;

/** Collects the records of one chunk after another; each is written byte by byte. */
export class RecordPacker {
  /** Where the next record is written: in `text` from `at` on, after {@link reserve}. */
  text: Buffer = Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES);
  at = 0;
  #records = 0;
  #numbers = new Uint32Array(FIRST_RECORDS * NUMBERS);
  #keys: Buffer = Buffer.allocUnsafeSlow(FIRST_KEY_BYTES);
  #keyBytes = 0;
  #hasAsciiKeys = true;

  /** Makes room for a record of this size. */
  reserve(bytes: number): void {
    const needed = this.at + bytes + 1;
    if (needed > this.text.length) this.text = grown(this.text, this.at, needed);
    const numbersNeeded = (this.#records + 1) * NUMBERS;
    if (numbersNeeded > this.#numbers.length) {
      const numbers = new Uint32Array(Math.max(numbersNeeded, this.#numbers.length * 2));
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
  }

  /** Adds the record of a row that was written up to `end`; `key` is `undefined` if it has none. */
  add(row: PackedRow, end: number, key: string | undefined): void {
    if (key === undefined) {
      this.#add(row, end, 0);
      return;
    }
    this.#reserveKey(key.length * 3);
    const bytes = this.#keys.write(key, this.#keyBytes);
    this.#hasAsciiKeys &&= bytes === key.length;
    this.#keyBytes += bytes;
    this.#add(row, end, key.length + 1);
  }

  /** The same for a key that is in the record unchanged, in ASCII; an empty one counts as none. */
  addWritten(row: PackedRow, end: number, keyStart: number, keyEnd: number): void {
    const { text } = this;
    const length = keyEnd - keyStart;
    this.#reserveKey(length);
    const keys = this.#keys;
    let to = this.#keyBytes;
    for (let from = keyStart; from < keyEnd; from++) keys[to++] = text[from]!;
    this.#keyBytes = to;
    this.#add(row, end, length === 0 ? 0 : length + 1);
  }

  /**
   * Packs the collected records, with the rows that are not records, into the buffer that `allocate` returns; then
   * starts again.
   */
  pack({ rejected, empty }: Omit<PreparedChunk, "records">, allocate: Allocate): PackedChunk {
    const others = rejected.length + empty.length === 0 ? "" : JSON.stringify({ rejected, empty });
    const keys = this.#keys.subarray(0, this.#keyBytes);
    const wide = this.#hasAsciiKeys ? undefined : keys.toString();
    const hasWideKeys = wide !== undefined && WIDE.test(wide);
    const layout = {
      records: this.#records,
      keyBytes: wide === undefined ? keys.length : hasWideKeys ? 2 * wide.length : wide.length,
      hasWideKeys,
      otherBytes: Buffer.byteLength(others),
      updateBytes: this.#updateBytes(),
      textBytes: Math.max(0, this.at - 1),
    };
    const bytes = allocate(headBytes(layout) + layout.textBytes);
    const numbers = new Uint32Array(bytes.buffer, 0, this.#records * NUMBERS);
    numbers.set(this.#numbers.subarray(0, numbers.length));
    let to = this.#records * NUMBERS * NUMBER_BYTES;
    to +=
      wide === undefined ? keys.copy(bytes, to) : bytes.write(wide, to, hasWideKeys ? "utf16le" : "latin1");
    to += bytes.write(others, to);
    this.#copyTexts(bytes, to, layout.updateBytes);
    this.at = 0;
    this.#records = 0;
    this.#keyBytes = 0;
    this.#hasAsciiKeys = true;
    return { layout, bytes };
  }

  #updateBytes(): number {
    const end = this.#records * NUMBERS;
    let bytes = 0;
    for (let from = 0; from < end; from += NUMBERS)
      if (this.#numbers[from + 5] !== 0) bytes += this.#numbers[from + 4]! + 1;
    return bytes;
  }

  /** Copies the texts of the updates and then those of the creates, each with the comma behind it, but for the last. */
  #copyTexts(target: Buffer, to: number, updateBytes: number): void {
    const { text } = this;
    const numbers = this.#numbers;
    const end = this.#records * NUMBERS;
    let createTo = to + updateBytes;
    let updateTo = 0;
    let at = 0;
    for (let from = 0; from < end;) {
      const start = at;
      for (; from < end && numbers[from + 5] !== 0; from += NUMBERS) at += numbers[from + 4]! + 1;
      // In the same memory, because a copy from one to another takes longer to begin than the few bytes of most take.
      if (updateTo < start) text.copyWithin(updateTo, start, at);
      updateTo += at - start;
      let next = at;
      for (; from < end && numbers[from + 5] === 0; from += NUMBERS) next += numbers[from + 4]! + 1;
      if (next - at > FEW_BYTES) createTo += text.copy(target, createTo, at, next);
      else for (let byte = at; byte < next; byte++) target[createTo++] = text[byte]!;
      at = next;
    }
    text.copy(target, to, 0, updateBytes);
  }

  #add({ line, start, end: rowEnd }: PackedRow, end: number, keyLength: number): void {
    const numbers = this.#numbers;
    const to = this.#records * NUMBERS;
    numbers[to] = line;
    numbers[to + 1] = Math.floor(start / TWO_TO_32);
    numbers[to + 2] = start;
    numbers[to + 3] = rowEnd - start;
    numbers[to + 4] = end - this.at;
    numbers[to + 5] = keyLength;
    this.#records += 1;
    this.text[end] = COMMA;
    this.at = end + 1;
  }

  #reserveKey(bytes: number): void {
    const needed = this.#keyBytes + bytes;
    if (needed > this.#keys.length) this.#keys = grown(this.#keys, this.#keyBytes, needed);
  }
}

function grown(buffer: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
