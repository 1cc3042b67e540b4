import { StringDecoder } from "node:string_decoder";
import { loadIconv } from "./iconv.ts";
import { joinHead, readByteOrderMark } from "./byte-order-mark.ts";
import type { Source } from "../source/source.ts";

/** Converts decoded content back to the encoding of its input. */
export interface Encoder {
  /** Takes text, or UTF-8 that may be cut inside a character; characters that the encoding does not have become `?`. */
  readonly encode: (text: Buffer | string) => Buffer;
}

/** `encoding` as in `Reading`; the byte order mark is handled separately, see {@link readMark}. */
export function createEncoder(encoding: string): Encoder {
  if (encoding === "utf-8")
    return { encode: (text) => (typeof text === "string" ? Buffer.from(text) : text) };
  const utf8 = new StringDecoder("utf8");
  return {
    encode: (text) =>
      loadIconv().encode(typeof text === "string" ? text : utf8.write(text), encoding, { addBOM: false }),
  };
}

/** The byte order mark with which a source begins; empty if it has none. */
export async function readMark(source: Source): Promise<Buffer> {
  for await (const head of joinHead(source.open(), 4)) {
    return Buffer.from(head.subarray(0, readByteOrderMark(head)?.bytes ?? 0));
  }
  return Buffer.alloc(0);
}
