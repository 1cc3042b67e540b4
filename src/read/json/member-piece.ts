import type { JsonScanner } from "./json-scan.ts";

const LINE_FEED = 0x0a;
const WORD_BYTES = 4;

/** The bytes from one value of a record to the next, as in an earlier row: comma, blanks, name and colon, and braces where objects are flattened. */
export class MemberPiece {
  readonly column: number;
  readonly bytes: Buffer;
  readonly length: number;
  /** Number of its line ends, and the offset after the last one. */
  readonly lines: number;
  readonly lastLineEnd: number;
  readonly #words: Int32Array;
  /** The last 4-byte word overlaps the one before, unless the length is a multiple of four. */
  readonly #last: number;

  /** `bytes`: at least four, because they contain a name in quotes and a colon. */
  constructor(column: number, bytes: Buffer) {
    this.column = column;
    this.bytes = Buffer.from(bytes);
    this.length = bytes.length;
    this.lines = bytes.filter((byte) => byte === LINE_FEED).length;
    this.lastLineEnd = bytes.lastIndexOf(LINE_FEED);
    const count = Math.floor(bytes.length / WORD_BYTES);
    this.#words = Int32Array.from({ length: count }, (_, word) => bytes.readInt32LE(word * WORD_BYTES));
    this.#last = bytes.readInt32LE(bytes.length - WORD_BYTES);
  }

  /** True if these are its bytes. */
  equals(bytes: Buffer): boolean {
    const { buffer, byteOffset, byteLength } = bytes;
    return byteLength === this.length && this.isAt(new DataView(buffer, byteOffset, byteLength), 0);
  }

  /** True if these bytes are at `at`. */
  isAt(view: DataView, at: number): boolean {
    const words = this.#words;
    const end = at + this.length;
    if (end > view.byteLength) return false;
    for (let word = 0; word < words.length; word++) {
      if (view.getInt32(at + word * WORD_BYTES, true) !== words[word]) return false;
    }
    return view.getInt32(end - WORD_BYTES, true) === this.#last;
  }
}

/** Where a value of a record is; offsets are those of bytes from the record's `{` on. */
export interface PlacedValue {
  readonly column: number;
  readonly start: number;
  /** The byte after it. */
  readonly end: number;
  /** True if an object in its place is one value, and not members of the record. */
  readonly isWhole: boolean;
}

/** Collects where the values of one record after another are, in the order of the file. */
export class RowLayout {
  values: PlacedValue[] = [];
  readonly #scanner: JsonScanner;
  #origin = 0;
  #start = 0;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  /** A record begins, at the `{` that the scanner is at. */
  begin(): void {
    this.values = [];
    this.#origin = this.#scanner.offset;
  }

  /** An object or array begins, which may be a value. */
  open(): void {
    this.#start = this.#scanner.window.base + this.#scanner.valueAt - this.#origin;
  }

  /** What was opened ends, and is the value of a column. */
  close(column: number, isWhole: boolean): void {
    this.values.push({ column, start: this.#start, end: this.#scanner.offset - this.#origin, isWhole });
  }

  /** The scalar that the scanner reports is the value of a column. */
  add(column: number, isWhole: boolean): void {
    this.open();
    this.close(column, isWhole);
  }
}

/** Rules that decide which members a row has. */
export interface MemberRules {
  /** Names of members that are left whole while the others are flattened; `undefined` if no member is flattened. */
  readonly flatten?: readonly string[] | undefined;
  readonly declared?: readonly string[] | undefined;
  readonly dropped?: readonly string[] | undefined;
}
