import type { RecPushError } from "../model/failure.ts";
import { inputError } from "../read/input-error.ts";
import { abortable, isIterable } from "./abortable.ts";

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
