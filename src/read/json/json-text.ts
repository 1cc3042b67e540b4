import { isAscii } from "node:buffer";
import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { ABSENT, type Cell, JsonNumber, NestedValue, NO_TEXT } from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import { ByteCells, type Rows } from "../rows.ts";

// The grammar of JSON (RFC 8259, without extensions), over bytes that are known to be UTF-8.

/** What is expected at a point of the grammar, as worded in the message when something else comes. */
const EXPECTED = {
  top: "[ or {",
  line: "the { of a row",
  end: "the end of the file",
  firstElement: "a value or ]",
  element: "a value after the comma",
  firstName: 'a member name in " or }',
  name: 'a member name in " after the comma',
  colon: "a colon after the member name",
  value: "a value after the colon",
  afterElement: "a comma or ]",
  afterMember: "a comma or }",
} as const;

export type Expected = keyof typeof EXPECTED;

/** Containers nested deeper than this are refused (RFC 8259 section 9 allows a limit). */
const MAX_DEPTH = 512;
/** So many bytes behind a fault are awaited before it is described: the cuts of the input must not change the message. */
const LOOKAHEAD_BYTES = 32;
const BROKEN_HINT = "mend the file there, or export it again";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
export const COLON = 0x3a;
export const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;

const WORDS: ReadonlyMap<number, Buffer> = new Map(
  ["true", "false", "null"].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);

/** By byte: 1 if it ends a run of plain text in a string. */
const ENDS_RUN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

/**
 * The part of an input that is at hand. Of the bytes before {@link JsonText.at} only those of its line are counted. A
 * method that searches an end returns -1 for broken or missing text: {@link JsonText.checkFault} decides which.
 */
export class JsonText {
  readonly file: string;
  bytes: Buffer;
  /** The same, to read several bytes at once. */
  view: DataView;
  /** The index of the next byte. */
  at = 0;
  /** The line of that byte. */
  line = 1;
  /** How many containers are open there. */
  depth = 0;
  /** Number of bytes of the input before `bytes[0]`. */
  base = 0;
  /** True if nothing follows `bytes`. */
  isWhole = false;
  /** Of the last string: whether something in it is escaped, and whether that may be half of a surrogate pair. */
  hasEscapes = false;
  mayBeHalf = false;
  /** Index of the first byte of the line, as far as it is still there, and how many of its characters no longer are. */
  #lineStart = 0;
  #charactersBefore = 0;
  #faultAt = 0;
  #wanted = "";

  /** `whole`: all of the input. */
  constructor(file: string, whole?: Buffer) {
    this.file = file;
    this.bytes = whole ?? Buffer.alloc(0);
    this.view = viewOf(this.bytes);
    this.isWhole = whole !== undefined;
  }

  /** Number of bytes that are not read yet. */
  get rest(): number {
    return this.bytes.length - this.at;
  }

  /** The current line. */
  get linePlace(): { readonly file: string; readonly line: number } {
    return { file: this.file, line: this.line };
  }

  /** The place of the byte at index `i`, which is on the current line. */
  placeOf(i: number): Required<InputPlace> {
    const column = this.#charactersBefore + countCharacters(this.bytes.subarray(this.#lineStart, i)) + 1;
    return { file: this.file, line: this.line, column };
  }

  /** Drops what is read, and appends a copy of `chunk` to the rest. */
  feed(chunk: Buffer): void {
    // A line feed after a carriage return ends no other line.
    const from = Math.max(0, this.at - 1);
    if (this.#lineStart < from) {
      this.#charactersBefore += countCharacters(this.bytes.subarray(this.#lineStart, from));
      this.#lineStart = 0;
    } else this.#lineStart -= from;
    this.base += from;
    this.at -= from;
    const kept = this.bytes.length - from;
    const bytes = Buffer.allocUnsafeSlow(kept + chunk.length);
    this.bytes.copy(bytes, 0, from);
    chunk.copy(bytes, kept);
    this.bytes = bytes;
    this.view = viewOf(bytes);
  }

  /** The next byte that is no blank; -1 if there is none yet. */
  next(): number {
    const { bytes } = this;
    let at = this.at;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.#breakLine(at);
      else if (byte !== 0x20 && byte !== 0x09) break;
    }
    this.at = at;
    return at < bytes.length ? bytes[at]! : -1;
  }

  /** Goes on to an index, over line ends. */
  moveTo(index: number): void {
    for (let at = this.at; at < index; at++) {
      const byte = this.bytes[at];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.#breakLine(at);
    }
    this.at = index;
  }

  /** Like {@link moveTo}, over lines that are counted already; the last one begins at `lineStart`. */
  passTo(index: number, lines: number, lineStart: number): void {
    this.at = index;
    if (lines === 0) return;
    this.line += lines;
    this.#lineStart = lineStart;
    this.#charactersBefore = 0;
  }

  #breakLine(at: number): void {
    if (isNewLine(this.bytes, at)) this.line++;
    this.#lineStart = at + 1;
    this.#charactersBefore = 0;
  }

  /** The text of a name or string from its quote on. */
  textOf(start: number, end: number): string {
    return this.hasEscapes
      ? (JSON.parse(this.bytes.toString("utf8", start, end)) as string)
      : this.bytes.toString("utf8", start + 1, end - 1);
  }

  /** The index after the value at `from`, inside so many containers. */
  endOfValue(from: number, expected: Expected, depth = this.depth): number {
    const { bytes } = this;
    const first = bytes[from];
    if (first === QUOTE) return this.endOfString(from);
    if (first === OPENING_BRACE || first === OPENING_BRACKET) {
      if (depth === MAX_DEPTH) return this.#fail(from, `at most ${MAX_DEPTH} levels of [ and {`);
      return this.#endOfContainer(from, first === OPENING_BRACE, depth + 1);
    }
    if (first === MINUS || isDigit(first)) return this.endOfNumber(from);
    const word = WORDS.get(first ?? -1);
    if (word === undefined) return this.fail(from, expected);
    for (let at = 1; at < word.length; at++)
      if (bytes[from + at] !== word[at]) return this.fail(from, expected);
    return from + word.length;
  }

  #endOfContainer(from: number, isObject: boolean, depth: number): number {
    const { bytes } = this;
    const closing = isObject ? CLOSING_BRACE : CLOSING_BRACKET;
    let at = skipBlanks(bytes, from + 1);
    if (bytes[at] === closing) return at + 1;
    for (let expected: Expected = isObject ? "firstName" : "firstElement"; ;) {
      if (isObject) {
        if (bytes[at] !== QUOTE) return this.fail(at, expected);
        at = this.endOfString(at);
        if (at === -1) return -1;
        at = skipBlanks(bytes, at);
        if (bytes[at] !== COLON) return this.fail(at, "colon");
        at = skipBlanks(bytes, at + 1);
      }
      at = this.endOfValue(at, isObject ? "value" : expected, depth);
      if (at === -1) return -1;
      at = skipBlanks(bytes, at);
      if (bytes[at] === closing) return at + 1;
      if (bytes[at] !== COMMA) return this.fail(at, isObject ? "afterMember" : "afterElement");
      at = skipBlanks(bytes, at + 1);
      expected = isObject ? "name" : "element";
    }
  }

  /** The index after the string whose quote is at `from`. */
  endOfString(from: number): number {
    const { bytes } = this;
    this.hasEscapes = false;
    this.mayBeHalf = false;
    for (let at = from + 1; ;) {
      while (at < bytes.length && ENDS_RUN[bytes[at]!] === 0) at++;
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === undefined) return this.#fail(at, 'the closing " of a string');
      if (byte !== BACKSLASH) return this.#fail(at, 'the closing " or a character of a string');
      const length = escapeLength(bytes, at);
      if (length === 0) return this.#fail(at, "a valid JSON escape");
      this.hasEscapes = true;
      // `\ud800` to `\udfff`.
      this.mayBeHalf ||= length === 6 && (bytes[at + 2]! | 0x20) === 0x64 && bytes[at + 3]! > 0x37;
      at += length;
    }
  }

  /** The index after the number at `from` (RFC 8259 section 6). */
  endOfNumber(from: number): number {
    const { bytes } = this;
    let at = bytes[from] === MINUS ? from + 1 : from;
    if (bytes[at] === ZERO && isDigit(bytes[at + 1]))
      return this.#fail(from, "a number without leading zeros");
    let end = skipDigits(bytes, at);
    if (end === at) return this.#fail(at, "a digit");
    if (bytes[end] === 0x2e) {
      at = end + 1;
      end = skipDigits(bytes, at);
      if (end === at) return this.#fail(at, "a digit");
    }
    if ((bytes[end]! | 0x20) === 0x65) {
      at = end + 1;
      if (bytes[at] === 0x2b || bytes[at] === MINUS) at++;
      end = skipDigits(bytes, at);
      if (end === at) return this.#fail(at, "a digit");
    }
    return end;
  }

  /** Notes what was expected at `at`; returns -1. */
  fail(at: number, expected: Expected): -1 {
    return this.#fail(at, EXPECTED[expected]);
  }

  #fail(at: number, wanted: string): -1 {
    this.#faultAt = at;
    this.#wanted = wanted;
    return -1;
  }

  /** Throws the input error for the last fault; returns if bytes still to come may complete the text. */
  checkFault(): void {
    const at = this.#faultAt;
    const { bytes } = this;
    if (!this.isWhole && bytes.length - at < LOOKAHEAD_BYTES) return;
    this.moveTo(at);
    const isSecondTop = this.#wanted === EXPECTED.end && bytes[at] === OPENING_BRACE;
    const what = `broken JSON: expected ${this.#wanted}, found ${describeFound(bytes, at)}`;
    throw inputError(this.placeOf(at), "json-syntax", what, {
      hint: isSecondTop ? "--format ndjson, if the file holds one object after the other" : BROKEN_HINT,
    });
  }

  /** The error for what is longer than a row may be. */
  tooLong(place: InputPlace, what: string, maxRowBytes: number): RecPushError {
    const message = `${what} is longer than ${maxRowBytes.toLocaleString("en")} bytes`;
    return inputError(place, "too-long", message, {
      hint: 'if the file is meant to be like this: "maxRowBytes" in the table\'s section of the config raises the limit',
    });
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The index of the first byte from `from` on that is no blank. */
export function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== 0x09) return at;
  }
}

/** True for a byte that ends a line: the second one of a CRLF does not. */
export function isNewLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === CARRIAGE_RETURN || (bytes[at] === LINE_FEED && bytes[at - 1] !== CARRIAGE_RETURN);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 0x39;
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at++;
  return at;
}

const SHORT_ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));

/** Length of the escape whose backslash is at `at`; 0 if it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  if (SHORT_ESCAPES.has(bytes[at + 1])) return 2;
  return /^\\u[\da-fA-F]{4}$/.test(bytes.toString("latin1", at, at + 6)) ? 6 : 0;
}

function countCharacters(bytes: Buffer): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}

const SHOWN_NAME_LENGTH = 60;

/** A member name for a message: quoted, escaped, shortened. */
export function showName(name: string): string {
  return JSON.stringify(name.length > SHOWN_NAME_LENGTH ? `${name.slice(0, SHOWN_NAME_LENGTH)}...` : name);
}

const WORD = /^(?:[\w.+$-]{1,20}|\\\w{0,5})/;

function describeFound(bytes: Buffer, at: number): string {
  const byte = bytes[at];
  if (byte === undefined) return "the end of the file";
  if (byte === LINE_FEED || byte === CARRIAGE_RETURN) return "a line end";
  if (byte === 0x09) return "a tab";
  if (byte === 0x20) return "a space";
  if (byte === 0x2f && (bytes[at + 1] === 0x2f || bytes[at + 1] === 0x2a)) return "a comment";
  if (byte === 0x27) return "a single quote";
  const text = bytes.toString("utf8", at, at + 20);
  const character = String.fromCodePoint(text.codePointAt(0)!);
  return (
    WORD.exec(text)?.[0] ??
    (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)
      ? character
      : `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`)
  );
}

const TRUE = 0x74;
const FALSE = 0x66;
const NESTED_OBJECT = new NestedValue("object");
const NESTED_ARRAY = new NestedValue("array");

/** The values of some records. */
export class JsonCells extends ByteCells {
  readonly areRowsAdjacent = false;

  put(cell: number, start: number, end: number, mark: number): void {
    this.starts[cell] = start;
    this.ends[cell] = end;
    this.marks[cell] = mark;
  }

  /** Makes room for the cells of one row from `first` on, none of which has a value yet. */
  begin(first: number, width: number): void {
    this.reserve(first + width);
    for (let cell = first; cell < first + width; cell++) this.put(cell, 0, 0, ABSENT | NO_TEXT);
  }

  value(cell: number): Cell {
    const mark = this.marks[cell]!;
    if ((mark & NO_TEXT) === 0) return this.text(cell);
    if ((mark & ABSENT) !== 0) return undefined;
    const start = this.starts[cell]!;
    if (start === this.ends[cell]) return null;
    const first = this.bytes[start]!;
    if (first === TRUE || first === FALSE) return first === TRUE;
    if (first === OPENING_BRACKET) return NESTED_ARRAY;
    return first === OPENING_BRACE ? NESTED_OBJECT : new JsonNumber(this.text(cell));
  }

  protected unescape(start: number, end: number): string {
    return JSON.parse(this.bytes.toString("utf8", start - 1, end + 1)) as string;
  }
}

export type PlacedRows = Rows<JsonCells>;
