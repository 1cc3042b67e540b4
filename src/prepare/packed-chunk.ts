import type { RejectedRow } from "../model/rows.ts";
import { type ChunkRecords, type RecordKind, RecordList } from "../model/settlement.ts";

const COMMA = 0x2c;
const FIRST_TEXT_BYTES = 262_144;
const FIRST_KEY_BYTES = 16_384;
const FIRST_RECORDS = 1024;

/**
 * 32-bit unsigned integers for each record: line, row's start in two halves, row's size, record's size, and the key's
 * length plus one.
 */
const NUMBERS = 6;
const NUMBER_BYTES = 4;
const TWO_TO_32 = 2 ** 32;

/** Numbers of 64 bits for each record, derived from the others: where its text and its key begin, and its ordinal. */
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
  readonly otherBytes: number;
  /** Of the texts, with the comma behind each: those of the updates come first, so that each batch is one stretch. */
  readonly updateBytes: number;
  readonly textBytes: number;
}

/** A chunk as bytes, which have their memory to themselves: it can be handed to another thread. */
export interface PackedChunk {
  readonly layout: PackedLayout;
  readonly bytes: Buffer;
}

/** Size of the part before the texts. */
function headBytes({ records, keyBytes, otherBytes }: PackedLayout): number {
  return records * NUMBERS * NUMBER_BYTES + keyBytes + otherBytes;
}

/** Restores the chunk; its bytes must stay as they are as long as the records are used. */
export function unpackChunk({ layout, bytes }: PackedChunk): PreparedChunk {
  const numberBytes = layout.records * NUMBERS * NUMBER_BYTES;
  const keysEnd = numberBytes + layout.keyBytes;
  const others = bytes.toString("utf8", keysEnd, keysEnd + layout.otherBytes);
  const records = RecordList.of(
    new PackedRecords({
      numbers: new Uint32Array(bytes.buffer, bytes.byteOffset, layout.records * NUMBERS),
      keys: bytes.subarray(numberBytes, keysEnd),
      updateBytes: layout.updateBytes,
      text: bytes.subarray(headBytes(layout)),
      places: new Float64Array(layout.records * PLACES),
    }),
  );
  if (others === "") return { records, rejected: [], empty: [] };
  return { records, ...(JSON.parse(others) as Pick<PreparedChunk, "rejected" | "empty">) };
}

/** Where the records of a chunk are. */
interface UnpackedPlace {
  readonly numbers: Uint32Array;
  /** One after the other, in UTF-8. */
  readonly keys: Buffer;
  /** Of the texts, with the comma behind each: those of the updates come first. */
  readonly updateBytes: number;
  readonly text: Buffer;
  /** Room for {@link PLACES} numbers for each record. */
  readonly places: Float64Array;
}

/** The records of a chunk, as the numbers that it was packed with. */
class PackedRecords implements ChunkRecords {
  readonly length: number;
  /** Undefined once all records are settled. */
  #place: UnpackedPlace | undefined;
  /** Made when the first key is asked for, which is rare if all keys are different. */
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
    const { numbers, places, keys } = this.#known;
    const length = numbers[index * NUMBERS + 5]! - 1;
    if (length < 0) return undefined;
    this.#keys ??= keys.toString();
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
    this.#unsettled -= records;
    if (this.#unsettled === 0) this.#place = undefined;
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

/** The texts of the records of one kind, each with a comma behind it. */
interface KindTexts {
  text: Buffer;
  at: number;
}

/** Collects the records of one chunk after another; each is written byte by byte. */
export class RecordPacker {
  /** Where the next record is written: in `text` from `at` on, after {@link reserve}. */
  text: Buffer = Buffer.alloc(0);
  at = 0;
  readonly #updates: KindTexts = { text: Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES), at: 0 };
  readonly #creates: KindTexts = { text: Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES), at: 0 };
  #records = 0;
  #numbers = new Uint32Array(FIRST_RECORDS * NUMBERS);
  #keys: Buffer = Buffer.allocUnsafeSlow(FIRST_KEY_BYTES);
  #keyBytes = 0;

  /** Makes room for a record of this kind and size. */
  reserve(kind: RecordKind, bytes: number): void {
    const texts = kind === "update" ? this.#updates : this.#creates;
    texts.text = withRoom(texts.text, texts.at, bytes + 1);
    this.text = texts.text;
    this.at = texts.at;
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
    this.#keys = withRoom(this.#keys, this.#keyBytes, key.length * 3);
    this.#keyBytes += this.#keys.write(key, this.#keyBytes);
    this.#add(row, end, key.length + 1);
  }

  /** Like {@link add}, for a key that is in the record unchanged, in ASCII; an empty key counts as none. */
  addWritten(row: PackedRow, end: number, keyStart: number, keyEnd: number): void {
    const { text } = this;
    const length = keyEnd - keyStart;
    this.#keys = withRoom(this.#keys, this.#keyBytes, length);
    const keys = this.#keys;
    let to = this.#keyBytes;
    for (let from = keyStart; from < keyEnd; from++) keys[to++] = text[from]!;
    this.#keyBytes = to;
    this.#add(row, end, length === 0 ? 0 : length + 1);
  }

  /** Packs the collected records, with the rows that are not records; then starts again. */
  pack({ rejected, empty }: Omit<PreparedChunk, "records">): PackedChunk {
    const others = rejected.length + empty.length === 0 ? "" : JSON.stringify({ rejected, empty });
    const [updates, creates] = [this.#updates, this.#creates];
    const layout = {
      records: this.#records,
      keyBytes: this.#keyBytes,
      otherBytes: Buffer.byteLength(others),
      updateBytes: updates.at,
      // There is no comma behind the last one.
      textBytes: Math.max(0, updates.at + creates.at - 1),
    };
    const bytes = Buffer.allocUnsafeSlow(headBytes(layout) + layout.textBytes);
    const numbers = new Uint32Array(bytes.buffer, 0, this.#records * NUMBERS);
    numbers.set(this.#numbers.subarray(0, numbers.length));
    let to = numbers.byteLength;
    to += this.#keys.copy(bytes, to, 0, this.#keyBytes);
    to += bytes.write(others, to);
    to += updates.text.copy(bytes, to, 0, updates.at);
    creates.text.copy(bytes, to, 0, creates.at);
    updates.at = 0;
    creates.at = 0;
    this.#records = 0;
    this.#keyBytes = 0;
    return { layout, bytes };
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
    (keyLength === 0 ? this.#creates : this.#updates).at = end + 1;
  }
}

/** The buffer, or a larger one with the same beginning, if it has no room for so many bytes more. */
function withRoom(buffer: Buffer, used: number, bytes: number): Buffer {
  if (used + bytes <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(used + bytes, 2 * buffer.length));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
