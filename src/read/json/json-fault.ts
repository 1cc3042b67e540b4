import { isAscii } from "node:buffer";
import type { FailureCode } from "../../model/failure-codes.ts";
import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { CellMemory } from "../cell-memory.ts";
import { inputError } from "../input-error.ts";
import { JsonCells } from "./json-cells.ts";

/**
 * Bytes that must be available after a fault before it is described, so that the description does not depend on how the
 * input is cut.
 */
export const LOOKAHEAD_BYTES = 32;

/** What is expected in each state, as worded in the message when something else comes. */
export const EXPECTED = {
  top: "[ or {",
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

/** For each way in which a string stops before its end, what is expected there. */
export const STRING_FAULTS = {
  cut: 'the closing " of a string',
  "control character": 'the closing " or a character of a string',
  escape: "a valid JSON escape",
} as const;

/** The points of the grammar at which the scanner may wait. */
export type Expectation = keyof typeof EXPECTED;

const BROKEN_HINT = "mend the file there, or export it again";
const WORD = /^(?:[\w.+$-]{1,20}|\\\w{0,5})/;
const SHOWN_NAME_LENGTH = 60;

/** A member name for a message: quoted, escaped, shortened. */
export function showName(name: string): string {
  return JSON.stringify(name.length > SHOWN_NAME_LENGTH ? `${name.slice(0, SHOWN_NAME_LENGTH)}...` : name);
}

function nameCodePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function describeFound(bytes: Buffer, i: number): string {
  const byte = bytes[i];
  if (byte === undefined) return "the end of the file";
  if (byte === 0x0a || byte === 0x0d) return "a line end";
  if (byte === 0x09) return "a tab";
  if (byte === 0x20) return "a space";
  if (byte < 0x20 || byte === 0x7f) return `the control character ${nameCodePoint(byte)}`;
  if (byte === 0x2f && (bytes[i + 1] === 0x2f || bytes[i + 1] === 0x2a)) return "a comment";
  if (byte === 0x27) return "a single quote";
  if (byte < 0x80) return WORD.exec(bytes.toString("latin1", i, i + 20))?.[0] ?? String.fromCharCode(byte);
  const character = String.fromCodePoint(bytes.toString("utf8", i, i + 4).codePointAt(0)!);
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return character;
  return nameCodePoint(character.codePointAt(0)!);
}

/** The error for JSON that is broken at index `i`; needs {@link LOOKAHEAD_BYTES} or the end of the input after it. */
export function failBroken(window: JsonWindow, i: number, expected: string, code: FailureCode): RecPushError {
  const isSecondTop = expected === EXPECTED.end && window.bytes[i] === 0x7b;
  return inputError(
    window.placeOf(i),
    code,
    `broken JSON: expected ${expected}, found ${describeFound(window.bytes, i)}`,
    { hint: isSecondTop ? "--format ndjson, if the file holds one object after the other" : BROKEN_HINT },
  );
}

/** The error for a row that is longer than a row may be. */
export function failTooLong(place: InputPlace, what: string, maxRowBytes: number): RecPushError {
  return inputError(
    place,
    "row-too-long",
    `${what} is longer than ${maxRowBytes.toLocaleString("en")} bytes`,
    {
      hint: 'if the file is meant to be like this: "maxRowBytes" in the table\'s section of the config raises the limit',
    },
  );
}

const ASK_AGAIN = "ask the service again and push what it returns then";

/** The error for a file in which every row says that a service failed. */
export function failFailures(file: string): RecPushError {
  const what = "it is the error answer of a service, not an export: every row says that something failed";
  return inputError({ file }, "json-answer", what, { hint: ASK_AGAIN });
}

/** The error for the answer of a service that failed, as the member `name` says. */
export function failAnswer(file: string, name: string, value: string | undefined): RecPushError {
  const said = value === undefined ? showName(name) : `${showName(name)}: ${showName(value)}`;
  return inputError({ file }, "json-answer", `it is the error answer of a service, not an export: ${said}`, {
    hint: `${ASK_AGAIN}; --type ${quoteForShell(name)}=text, if the member is no failure`,
  });
}

/** The error for what is in the place of the first row; `isLine`: an array that is the first of several values. */
export function failNotRecords(place: Required<InputPlace>, what: string, isLine: boolean): RecPushError {
  return inputError(
    place,
    "json-not-records",
    `${what} is where the first row should be: an object with members, such as {"cle":"C1"}`,
    {
      hint: isLine
        ? "--format json, if the file is one array of records"
        : "export the rows as objects, or as CSV",
    },
  );
}

/** A name as it is written in a shell. */
export function quoteForShell(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What to do about a member that a record has twice; `flattened`: the objects in it, from the outermost on. */
export function hintTwice(name: string, flattened: ReadonlySet<string>): string {
  const object = [...flattened].find((other) => name.startsWith(`${other}_`));
  return object === undefined
    ? "keep one of the two"
    : `--drop ${quoteForShell(object)} leaves the object out from which --flatten makes one of the two`;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function countCharacters(bytes: Buffer): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++;
  return count;
}

/** A line, the index at which it begins, and how many of its characters are no longer in the window. */
export interface LineCount {
  readonly line: number;
  readonly lineStart: number;
  readonly charactersBefore: number;
}

/**
 * The part of the input that is being scanned. Of earlier chunks only the bytes that {@link slide} keeps remain. It
 * counts the lines (LF, CRLF or CR) and characters that have passed.
 */
export class JsonWindow {
  readonly file: string;
  bytes: Buffer = Buffer.alloc(0);
  /** Number of bytes of the input before `bytes[0]`. */
  base = 0;
  line = 1;
  /** True if nothing follows `bytes`. */
  ended = false;
  /** Index of the first byte of the line, as far as it is still in the window. */
  private lineStart = 0;
  /** Characters of the line that are no longer in the window. */
  private charactersBefore = 0;
  private byteBefore = 0;
  private memory = new CellMemory();
  private found: JsonCells | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** The values of the records in the bytes, as far as they are found. */
  get cells(): JsonCells {
    return (this.found ??= new JsonCells(this.bytes, this.memory));
  }

  /** Drops the bytes before the index `keepFrom` and appends a copy of `chunk` to the rest. */
  slide(keepFrom: number, chunk: Buffer): void {
    if (this.lineStart < keepFrom) {
      this.charactersBefore += countCharacters(this.bytes.subarray(this.lineStart, keepFrom));
      this.lineStart = 0;
    } else {
      this.lineStart -= keepFrom;
    }
    if (keepFrom > 0) this.byteBefore = this.bytes[keepFrom - 1]!;
    this.base += keepFrom;
    const kept = this.bytes.length - keepFrom;
    const memory = CellMemory.take(kept + chunk.length);
    this.bytes.copy(memory.bytes, 0, keepFrom);
    chunk.copy(memory.bytes, kept);
    this.memory.release();
    this.memory = memory;
    this.bytes = memory.bytes.subarray(0, kept + chunk.length);
    this.found = undefined;
  }

  /** Counts the CR or LF at index `i`; to be called once for each, in order. */
  breakLine(i: number): void {
    const before = i > 0 ? this.bytes[i - 1] : this.byteBefore;
    if (this.bytes[i] === CARRIAGE_RETURN || before !== CARRIAGE_RETURN) this.line++;
    this.lineStart = i + 1;
    this.charactersBefore = 0;
  }

  /** The current line; {@link goBack} returns to it, as long as nothing slides. */
  get lines(): LineCount {
    const { line, lineStart, charactersBefore } = this;
    return { line, lineStart, charactersBefore };
  }

  goBack(lines: LineCount): void {
    ({ line: this.line, lineStart: this.lineStart, charactersBefore: this.charactersBefore } = lines);
  }

  /** Counts several line feeds at once, none of which follows a carriage return; `last`: the index of the last one. */
  breakLines(count: number, last: number): void {
    if (count === 0) return;
    this.line += count;
    this.lineStart = last + 1;
    this.charactersBefore = 0;
  }

  /** The current line. */
  get linePlace(): { readonly file: string; readonly line: number } {
    return { file: this.file, line: this.line };
  }

  /** The place of the byte at index `i`, which is on the current line. */
  placeOf(i: number): Required<InputPlace> {
    const column = this.charactersBefore + countCharacters(this.bytes.subarray(this.lineStart, i)) + 1;
    return { file: this.file, line: this.line, column };
  }
}

/** True for the bytes that end a line. */
export function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

const HALF_PAIR = /\p{Cs}/u;

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

/**
 * Length of the escape whose backslash is at index `i`; 0 if the bytes end inside it, -1 if it is not a valid escape.
 */
export function readEscapeLength(bytes: Buffer, i: number): number {
  switch (bytes[i + 1]) {
    case undefined:
      return 0;
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2;
    case 0x75: // u
      for (let k = i + 2; k < i + 6; k++) {
        if (k >= bytes.length) return 0;
        if (!isHexDigit(bytes[k]!)) return -1;
      }
      return 6;
    default:
      return -1;
  }
}

/** True if the text contains half a surrogate pair without the other half, so that it has no UTF-8 form. */
export function hasHalfPair(text: string): boolean {
  return HALF_PAIR.test(text);
}
