const FIRST_BYTES = 262_144;
/** So many bytes are handed over at once. */
const MANY_BYTES = 131_072;
/** The most bytes of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3;
/** Fewer are copied sooner one by one. */
const FEW_BYTES = 8;
/** Digits of a line number. */
const MOST_DIGITS = 16;
const ZERO = 0x30;
/** Smaller ones are divided as integers. */
const MOST_INT = 2 ** 31;

/** What stands around the line number and the key of a row, and which keys can be copied as they are. */
export interface RowPieces {
  readonly beforeLine: string;
  readonly beforeKey: string;
  readonly afterKey: string;
  /** In place of these and a key. */
  readonly withoutKey: string;
  /** True for a byte of UTF-8 that a key may hold, or begin with. */
  readonly mayHold: (byte: number, isFirst: boolean) => boolean;
}

/** Collects rows of results as bytes: as text, each would be six small pieces. */
export class PlainResults {
  readonly #beforeLine: Buffer;
  readonly #beforeKey: Buffer;
  readonly #afterKey: Buffer;
  readonly #withoutKey: Buffer;
  readonly #fixedBytes: number;
  readonly #mayHold: Uint8Array;
  readonly #mayBegin: Uint8Array;
  #out: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;

  constructor({ beforeLine, beforeKey, afterKey, withoutKey, mayHold }: RowPieces) {
    this.#beforeLine = Buffer.from(beforeLine);
    this.#beforeKey = Buffer.from(beforeKey);
    this.#afterKey = Buffer.from(afterKey);
    this.#withoutKey = Buffer.from(withoutKey);
    this.#fixedBytes =
      this.#beforeLine.length +
      this.#beforeKey.length +
      this.#afterKey.length +
      this.#withoutKey.length +
      MOST_DIGITS;
    this.#mayHold = Uint8Array.from({ length: 256 }, (_, byte) => (mayHold(byte, false) ? 1 : 0));
    this.#mayBegin = Uint8Array.from({ length: 256 }, (_, byte) => (mayHold(byte, true) ? 1 : 0));
  }

  /** True if there is enough to be taken. */
  get isFull(): boolean {
    return this.#at >= MANY_BYTES;
  }

  /** Adds a row that is formatted already. */
  addText(text: string): void {
    this.#reserve(MOST_BYTES_A_UNIT * text.length);
    this.#at += this.#out.write(text, this.#at);
  }

  /** Adds the row of a record without a key. */
  addCreate(line: number, end: Buffer): void {
    this.#reserve(this.#fixedBytes + end.length);
    const out = this.#out;
    let to = put(out, this.#at, this.#beforeLine);
    to = putNumber(out, to, line);
    to = put(out, to, this.#withoutKey);
    this.#at = put(out, to, end);
  }

  /** Adds the row of a record whose key is `keys` from `from` to `to`; false if that needs quotes or escapes. */
  addUpdate(line: number, keys: Buffer, from: number, to: number, end: Buffer): boolean {
    this.#reserve(this.#fixedBytes + to - from + end.length);
    const out = this.#out;
    const mayHold = this.#mayHold;
    let next = put(out, this.#at, this.#beforeLine);
    next = putNumber(out, next, line);
    next = put(out, next, this.#beforeKey);
    if (from === to || this.#mayBegin[keys[from]!] === 0) return false;
    for (let at = from; at < to; at++) {
      const byte = keys[at]!;
      if (mayHold[byte] === 0) return false;
      out[next++] = byte;
    }
    next = put(out, next, this.#afterKey);
    this.#at = put(out, next, end);
    return true;
  }

  /** The rows since the last call; they last until the next one is added. */
  take(): Buffer {
    const rows = this.#out.subarray(0, this.#at);
    this.#at = 0;
    return rows;
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#out.length));
    this.#out.copy(larger, 0, 0, this.#at);
    this.#out = larger;
  }
}

/** Copies bytes; returns the index after them. */
function put(out: Buffer, at: number, bytes: Buffer): number {
  const { length } = bytes;
  if (length > FEW_BYTES) out.set(bytes, at);
  else for (let from = 0; from < length; from++) out[at + from] = bytes[from]!;
  return at + length;
}

/** Writes a line number in decimal; returns the index after it. */
function putNumber(out: Buffer, at: number, number: number): number {
  if (number >= MOST_INT) return at + out.write(String(number), at);
  let digits = 1;
  for (let most = 10; most <= number; most *= 10) digits += 1;
  let rest = number;
  for (let to = at + digits - 1; to >= at; to--) {
    const next = (rest / 10) | 0;
    out[to] = ZERO + rest - 10 * next;
    rest = next;
  }
  return at + digits;
}

/** The columns of the results, in their order. */
export const RESULT_COLUMNS = [
  "file",
  "line",
  "cle",
  "outcome",
  "batch",
  "status",
  "msg",
  "attempts",
] as const;

/**
 * The first bytes that are looked at: a file's name takes at most six characters a byte, and everything else before
 * it is short.
 */
export const RESULTS_HEAD_BYTES = 65_536;

/** True for the first bytes of a file that holds results: the header of the CSV, or the members of the first object. */
export function beginsResults(head: Buffer): boolean {
  const text = head.toString("utf8").replace(/^\ufeff/, "");
  // The key is not read to its end, because it may be longer than the head.
  if (/^\{"file":"(?:[^"\\]|\\.)*","line":\d+,"cle":(?:null,"outcome":"|")/.test(text)) return true;
  const [, delimiter = ","] = /^file(.+?)line/.exec(text) ?? [];
  const [header = ""] = text.split(/\r?\n/, 1);
  return `${header}${delimiter}`.startsWith(`${RESULT_COLUMNS.join(delimiter)}${delimiter}`);
}
