import type { RecPushError } from "../../model/failure.ts";
import { joinHead, readByteOrderMark } from "./byte-order-mark.ts";
import { loadIconv } from "./iconv.ts";
import { inputError } from "../input-error.ts";
import { createTextCheck, suggestEncoding, type TextCheck } from "./text-check.ts";
import { createUtf8Check } from "./utf8-check.ts";

/** Turns bytes in one encoding into UTF-8 pieces of whole characters, in order. Throws input errors. */
export interface Decoder {
  push(chunk: Buffer): Iterable<Buffer>;
  end(): Iterable<Buffer>;
}

/** Decodes a whole input: UTF-8 pieces without byte order mark. `encoding` as in `Reading`. */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  file: string,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | undefined;
  for await (let chunk of joinHead(chunks, 4)) {
    if (decoder === undefined) {
      const mark = readByteOrderMark(chunk);
      chunk = chunk.subarray(mark?.encoding === encoding ? mark.bytes : 0);
      decoder = createDecoder(encoding, file);
    }
    yield* decoder.push(chunk);
  }
  yield* decoder?.end() ?? [];
}

/** A decoder for the bytes that follow the byte order mark. */
export function createDecoder(
  encoding: string,
  file: string,
  check: TextCheck = createTextCheck(file, () => encoding),
): Decoder {
  return encoding === "utf-8" ? createUtf8Decoder(file, check) : createTableDecoder(encoding, file, check);
}

function createUtf8Decoder(file: string, check: TextCheck): Decoder {
  const utf8 = createUtf8Check();
  return {
    *push(chunk) {
      const { pieces, rest } = utf8.push(chunk);
      for (const piece of pieces) {
        check.add(piece);
        yield piece;
      }
      if (rest !== undefined) {
        throw undecodable(file, "utf-8", check.at(rest, 0));
      }
    },
    end() {
      const held = utf8.end();
      if (held.length > 0) {
        throw undecodable(file, "utf-8", check.at(held, 0));
      }
      return [];
    },
  };
}

/** iconv-lite's output for undecodable bytes: half a surrogate pair in UTF-16 and UTF-32, U+FFFD in other encodings. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const REPLACEMENT = /\u{FFFD}/u;

function createTableDecoder(encoding: string, file: string, check: TextCheck): Decoder {
  const stream = loadIconv().getDecoder(encoding, { stripBOM: false });
  const isUnicode = encoding.startsWith("utf-");
  const bad = isUnicode ? LONE_SURROGATE : REPLACEMENT;
  let held = "";
  let odd = 0;

  function* give(text: string): Generator<Buffer> {
    if (text === "") {
      return;
    }
    const at = text.search(bad);
    const piece = Buffer.from(at === -1 ? text : text.slice(0, at));
    check.add(piece);
    if (at !== -1) {
      throw undecodable(file, encoding, check.at(piece, 0));
    }
    yield piece;
  }

  return {
    *push(chunk) {
      odd = (odd + chunk.length) % (encoding.startsWith("utf-32") ? 4 : 2);
      let text = held + stream.write(chunk);
      // The end of a chunk may split a surrogate pair: its first half waits for the second.
      const cut = isUnicode && /[\uD800-\uDBFF]$/.test(text) ? 1 : 0;
      held = text.slice(text.length - cut);
      text = text.slice(0, text.length - cut);
      yield* give(text);
    },
    *end() {
      yield* give(held + (stream.end() ?? ""));
      if (isUnicode && odd !== 0) {
        throw undecodable(file, encoding, check.at(Buffer.alloc(0), 0));
      }
    },
  };
}

/** The error for bytes that do not exist in the encoding. */
function undecodable(file: string, encoding: string, place: { line: number; column: number }): RecPushError {
  return inputError({ file, ...place }, "undecodable", `bytes that are not ${encoding}`, {
    hint: suggestEncoding(encoding),
  });
}
