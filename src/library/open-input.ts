import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import { quoteText, showText } from "../model/refer-to-sheets.ts";
import { inputError } from "../read/input-error.ts";
import type { BytesInput, Input, RowsInput } from "./input.ts";

/** An input as the commands take it. */
export interface OpenedInput {
  /** Paths; `-` is the stream. */
  readonly files: readonly string[];
  readonly stream: Readable;
  readonly name: string | undefined;
  /** True for rows that are written as a JSON array. */
  readonly isRows: boolean;
}

/**
 * A stream of Node that fails before it is read, such as that of a file that is not there, must not end the program:
 * reading it tells the error.
 */
export function holdErrors(input: Input): void {
  if (typeof input !== "object" || input === null) return;
  const streams: readonly unknown[] = [
    "bytes" in input ? input.bytes : undefined,
    "rows" in input ? input.rows : undefined,
  ];
  for (const stream of streams) if (stream instanceof EventEmitter) stream.on("error", () => undefined);
}

/** Nothing of a stream is read yet. Throws usage for what is no input; a shard's is files, or none for those of its plan. */
export function openInput(input: Input, stop: AbortSignal, isOfPlan: boolean): OpenedInput {
  if (isStream(input)) {
    if (isOfPlan) throw notAnInput("a shard reads the files of its plan");
    const name = `<${nameOf(input)}>`;
    const isRows = "rows" in input;
    const chunks = isRows ? rowsAsJson(input.rows, name, stop) : bytesOf(input.bytes, name, stop);
    return { files: ["-"], stream: Readable.from(chunks), name, isRows };
  }
  const paths = Array.isArray(input) ? input : [input];
  if (paths.length === 0 && !isOfPlan) throw notAnInput("it names no file");
  return { files: paths.map(pathOf), stream: Readable.from([]), name: undefined, isRows: false };
}

function isStream(input: Input): input is BytesInput | RowsInput {
  if (typeof input !== "object" || input === null || Array.isArray(input) || input instanceof URL)
    return false;
  if ("bytes" in input !== "rows" in input) return true;
  throw notAnInput("an object has either bytes or rows");
}

/** A path that is `-` is a file of that name: a program's own standard input is not ours. */
function pathOf(path: unknown): string {
  if (path instanceof URL) {
    if (path.protocol === "file:") return fileURLToPath(path);
    throw notAnInput(`${showText(path.protocol)} is not read; give its content as { bytes }`);
  }
  if (typeof path !== "string" || path === "") throw notAnInput("a path is a text or a URL");
  return path === "-" ? "./-" : path;
}

function nameOf(input: BytesInput | RowsInput): string {
  const { name = "rows" in input ? "rows" : "stream" } = input;
  if (typeof name === "string" && name !== "") return showText(name);
  throw notAnInput("its name is a text");
}

function notAnInput(why: string): RecPushError {
  return new RecPushError("usage", "wrong-usage", `the input cannot be used: ${why}`, {
    hint: "give a path, several paths, { bytes } or { rows }; for a shard of a plan [], or where its files are",
  });
}

/** The chunks of an input of bytes; texts become UTF-8. Throws input errors. */
export async function* bytesOf(bytes: unknown, name: string, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  const isWhole = typeof bytes === "string" || bytes instanceof Uint8Array;
  if (!isWhole && !isIterable(bytes)) throw notBytes(name, "it is no stream of bytes");
  /** The first half of a character whose other half begins the next text. */
  let half = "";
  for await (const chunk of abortable(isWhole ? [bytes] : bytes, name, stop)) {
    if (typeof chunk === "string") {
      const text = half + chunk;
      half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
      yield encode(half === "" ? text : text.slice(0, -1), name);
    } else {
      if (!(chunk instanceof Uint8Array)) throw notBytes(name, "a chunk of it is neither bytes nor text");
      if (half !== "") throw notBytes(name, "a text of it ends with half a character");
      yield chunk;
    }
  }
  if (half !== "") throw notBytes(name, "it ends with half a character");
}

function encode(text: string, name: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text);
  throw notBytes(name, "a text of it holds half a character");
}

function notBytes(name: string, what: string): RecPushError {
  return inputError({ file: name }, "not-bytes", what, {
    hint: "give chunks of bytes (Uint8Array, Buffer) or whole texts; objects are given as { rows }",
  });
}

/** Rows are handed on when their text is as long as this. */
const CHUNK_LENGTH = 65_536;

/**
 * Objects as a JSON array, one a line, so that the line of a row is its number. Throws input errors: a value that JSON
 * would change without a word is refused.
 */
async function* rowsAsJson(rows: unknown, name: string, stop: AbortSignal): AsyncGenerator<Buffer> {
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

/**
 * The items of an iterable of the caller. Its errors become input errors with the caller's as cause, and a wait for the
 * next item ends with an interruption once the signal is set.
 */
async function* abortable(
  items: AsyncIterable<unknown> | Iterable<unknown>,
  name: string,
  stop: AbortSignal,
): AsyncGenerator {
  let giveUp: (error: Error) => void = () => undefined;
  const onAbort = (): void => giveUp(interruption());
  const next = (): Promise<IteratorResult<unknown>> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      Promise.resolve(iterator.next()).then(resolve, reject);
    });
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let isDone = false;
  stop.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      if (stop.aborted) throw interruption();
      const result = await next();
      isDone = result.done === true;
      if (isDone) return;
      yield result.value;
    }
  } catch (cause) {
    throw cause instanceof RecPushError ? cause : ofCaller(cause, name);
  } finally {
    stop.removeEventListener("abort", onAbort);
    // Not awaited: one that hangs would hang here too.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** True for something to read items from. */
function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  const isObject = typeof value === "object" && value !== null;
  return isObject && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function ofCaller(cause: unknown, name: string): RecPushError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return inputError({ file: name }, "not-readable", `it ended with an error: ${why}`, { cause });
}
