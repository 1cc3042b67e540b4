import { quoteText } from "../model/visible-text.ts";
import type { RecPushError } from "../model/failure.ts";
import { inputError } from "../read/input-error.ts";
import { abortable, isIterable } from "./abortable.ts";

/** Rows are handed on when their text is as long as this. */
const CHUNK_LENGTH = 65_536;

/**
 * Objects as a JSON array, one a line, so that the line of a row is its number. Throws input errors: a value that JSON
 * would change without a word is refused.
 */
export async function* rowsAsJson(rows: unknown, name: string, stop: AbortSignal): AsyncGenerator<Buffer> {
  if (!isIterable(rows)) throw notARow({ file: name }, "it is no iterable of objects");
  let text = "[";
  let line = 0;
  for await (const row of abortable(rows, name, stop)) {
    line += 1;
    text += `${line === 1 ? "" : ",\n"}${spell(row, { file: name, line })}`;
    if (text.length < CHUNK_LENGTH) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(`${text}]\n`);
}

interface RowPlace {
  readonly file: string;
  readonly line: number;
}

function spell(row: unknown, place: RowPlace): string {
  if (typeof row !== "object" || row === null || Array.isArray(row)) throw notARow(place, "it is no object");
  if (hidesMembers(row))
    throw notARow(place, "it is no plain object and has no members, such as a Map or a Set");
  // Called with the object that holds the member; `value` went through its toJSON already.
  function check(this: unknown, member: string, value: unknown): unknown {
    const fault = faultOf(value, (this as Readonly<Record<string, unknown>>)[member]);
    if (fault !== undefined) throw notARow(place, `${quoteText(member)} ${fault}`);
    return typeof value === "bigint" ? String(value) : value;
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(row, check);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw notARow(place, `it cannot be written as JSON: ${cause.message}`);
  }
  if (text !== undefined && text.startsWith("{")) return text;
  throw notARow(place, "it is no object");
}

/** True for an object other than `{}` that JSON would write as `{}`, so that its row would be left out as an empty one. */
function hidesMembers(row: object): boolean {
  if ("toJSON" in row || Object.keys(row).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(row);
  // A plain object of another realm has another prototype, which is the last one there too.
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

/** What JSON would change in a value; `undefined` if nothing. */
function faultOf(value: unknown, held: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `is a ${typeof value}`;
  if (typeof value !== "number")
    return held instanceof Date && Number.isNaN(held.getTime()) ? "is a date that is none" : undefined;
  if (!Number.isFinite(value)) return `is ${value}`;
  // Its last digits may be gone before we see it.
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? "is a number with more digits than a number of JavaScript keeps: give it as a text or a bigint"
    : undefined;
}

function notARow(place: { readonly file: string; readonly line?: number }, what: string): RecPushError {
  return inputError(place, "not-a-row", what, {
    hint: "give objects whose members are texts, numbers, bigints, booleans, null or dates",
  });
}
