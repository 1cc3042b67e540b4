import type { FailureCode } from "../../model/failure-codes.ts";
import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { readUtf8Length } from "./json-string.ts";
import type { JsonWindow } from "./json-window.ts";

/**
 * Bytes that must be available after a fault before it is described, so that the description does not depend on how the
 * input is cut.
 */
export const LOOKAHEAD_BYTES = 32;

/** What is expected in each state, as worded in the message when something else comes. */
export const EXPECTED = {
  top: "[ or {",
  end: "the end of the file",
  string: 'the closing " of a string',
  firstElement: "a value or ]",
  element: "a value after the comma",
  firstName: 'a member name in " or }',
  name: 'a member name in " after the comma',
  colon: "a colon after the member name",
  value: "a value after the colon",
  afterElement: "a comma or ]",
  afterMember: "a comma or }",
} as const;

/** For each way in which a string stops: what is expected there, in words, and the failure's code. */
export const STRING_FAULTS = {
  "control character": ['the closing " or a character of a string', "json-syntax"],
  escape: ["a valid JSON escape", "json-syntax"],
  encoding: ["UTF-8", "json-encoding"],
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
  const length = readUtf8Length(bytes, i);
  if (length <= 0) return `the byte 0x${byte.toString(16).toUpperCase()}`;
  const character = bytes.toString("utf8", i, i + length);
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

/** The error for a row that is longer than `--max-row-bytes`. */
export function failTooLong(place: InputPlace, what: string, maxRowBytes: number): RecPushError {
  return inputError(
    place,
    "row-too-long",
    `${what} is longer than ${maxRowBytes.toLocaleString("en")} bytes`,
    { hint: "--max-row-bytes raises the limit, if the file is meant to be like this" },
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
