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
