import type { WrittenRecords } from "../fields/bulk/bulk-writer.ts";
import type { Row } from "../model/row.ts";
import { headBytes, type Allocate, type PackedChunk, type PreparedChunk } from "./packed-chunk.ts";
import { NUMBER_BYTES, NUMBERS, TWO_TO_32 } from "./packed-records.ts";

const COMMA = 0x2c;
const FIRST_TEXT_BYTES = 262_144;
const FIRST_KEY_BYTES = 16_384;
const FIRST_RECORDS = 1024;
/** Fewer are copied sooner one by one. */
const FEW_BYTES = 512;
/** Any character that is not in Latin-1. */
const WIDE = /[^\0-\u00ff]/;

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

  /** Makes room for a record of this size, or for several. */
  reserve(bytes: number, records = 1): void {
    const needed = this.at + bytes + 1;
    if (needed > this.text.length) this.text = grown(this.text, this.at, needed);
    const numbersNeeded = (this.#records + records) * NUMBERS;
    if (numbersNeeded > this.#numbers.length) {
      const numbers = new Uint32Array(Math.max(numbersNeeded, this.#numbers.length * 2));
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
  }

  /** Adds the record of a row that was written up to `end`; `key` is `undefined` if it has none. */
  add(row: Row, end: number, key: string | undefined): void {
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
  addWritten(row: Row, end: number, keyStart: number, keyEnd: number): void {
    const { text } = this;
    const length = keyEnd - keyStart;
    this.#reserveKey(length);
    const keys = this.#keys;
    let to = this.#keyBytes;
    for (let from = keyStart; from < keyEnd; from++) keys[to++] = text[from]!;
    this.#keyBytes = to;
    this.#add(row, end, length === 0 ? 0 : length + 1);
  }

  /** Adds records that were written elsewhere. */
  addAll({ text, numbers, keys }: WrittenRecords): void {
    const records = numbers.length / NUMBERS;
    this.reserve(text.length, records);
    this.#reserveKey(keys.length);
    this.text.set(text, this.at);
    this.#numbers.set(numbers, this.#records * NUMBERS);
    this.#keys.set(keys, this.#keyBytes);
    this.at += text.length;
    this.#records += records;
    this.#keyBytes += keys.length;
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

  #add({ line, start, end: rowEnd }: Row, end: number, keyLength: number): void {
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
