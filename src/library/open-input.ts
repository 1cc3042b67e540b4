import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { RecPushError } from "../model/failure.ts";
import { showText } from "../model/visible-text.ts";
import { bytesOf } from "./bytes-of.ts";
import type { BytesInput, Input, RowsInput } from "./input.ts";
import { rowsAsJson } from "./rows-as-json.ts";

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
