import { inputError } from "../input-error.ts";
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  JsonText,
  OPENING_BRACE,
  OPENING_BRACKET,
  showName,
  skipBlanks,
} from "./json-text.ts";

/** One member of a JSON object: its name without escapes, and both sides as source. */
export interface JsonMember {
  readonly name: string;
  readonly source: string;
}

/** Splits the text of one valid JSON object into its members, in order; line ends between tokens are left out. */
export function splitMembers(object: string): JsonMember[] {
  // A line end is never inside a JSON string (RFC 8259 section 7), so line ends and indentation can be removed.
  const text = new JsonText("", Buffer.from(object.trim().replaceAll(/[\r\n]+[ \t]*/g, "")));
  return Array.from(childrenOf(text, 0), ({ name = "", start, end }) => ({
    name,
    source: text.bytes.toString("utf8", start, end),
  }));
}

/** A member of an object or an element of an array, which has no name; where it, its value and both end. */
interface JsonChild {
  readonly name: string | undefined;
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

/** The children of the object or array at `from`, which is valid; none in any other value. */
function* childrenOf(text: JsonText, from: number): Generator<JsonChild> {
  const { bytes } = text;
  const isObject = bytes[from] === OPENING_BRACE;
  if (!isObject && bytes[from] !== OPENING_BRACKET) return;
  let start = skipBlanks(bytes, from + 1);
  if (bytes[start] === (isObject ? CLOSING_BRACE : CLOSING_BRACKET)) return;
  for (;;) {
    const nameEnd = isObject ? text.endOfString(start) : start;
    const name = isObject ? text.textOf(start, nameEnd) : undefined;
    const value = isObject ? skipBlanks(bytes, skipBlanks(bytes, nameEnd) + 1) : start;
    const end = text.endOfValue(value, "value");
    yield { name, start, value, end };
    const next = skipBlanks(bytes, end);
    if (bytes[next] === CLOSING_BRACE || bytes[next] === CLOSING_BRACKET) return;
    start = skipBlanks(bytes, next + 1);
  }
}

/**
 * Reads a whole JSON text into a value, as JSON.parse does. Throws an input error with line and column for broken JSON,
 * for containers nested too deeply, and for a name given twice in one object.
 */
export function readJsonValue(text: string, file: string): unknown {
  const source = text.replace(/^\uFEFF/, "");
  const json = new JsonText(file, Buffer.from(source));
  json.next();
  const start = json.at;
  const end = json.endOfValue(start, "top");
  if (end === -1) json.checkFault();
  json.moveTo(end);
  if (json.next() !== -1) {
    json.fail(json.at, "end");
    json.checkFault();
  }
  refuseTwice(new JsonText(file, json.bytes), start);
  return JSON.parse(source);
}

function refuseTwice(json: JsonText, from: number): void {
  const names = new Set<string>();
  for (const { name, start, value } of childrenOf(json, from)) {
    if (name !== undefined && names.has(name)) {
      json.moveTo(start);
      throw inputError(json.placeOf(start), "json-member-twice", `the key ${showName(name)} is given twice`);
    }
    if (name !== undefined) names.add(name);
    refuseTwice(json, value);
  }
}
