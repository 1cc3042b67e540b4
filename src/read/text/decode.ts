import { joinHead, readByteOrderMark } from "./byte-order-mark.ts";
import { loadIconv } from "./iconv.ts";
import { inputError } from "../input-error.ts";
import { createPlaceCounter } from "./place-counter.ts";
import { createTextCheck, suggestEncoding, TextFault, type TextCheck } from "./text-check.ts";
import { createUtf8Check } from "./utf8-check.ts";

/** Turns bytes in one encoding into UTF-8 pieces of whole characters, in order. Throws {@link TextFault}. */
export interface Decoder {
  push(chunk: Buffer): Iterable<Buffer>;
  end(): Iterable<Buffer>;
}

/**
 * Decodes a whole input: UTF-8 pieces without byte order mark. `encoding` as in `Reading`. Throws input errors, with
 * line and column.
 */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  file: string,
  check?: TextCheck,
): AsyncGenerator<Buffer> {
  const counter = createPlaceCounter();
  try {
    for await (const piece of decodePieces(chunks, encoding, file, check)) {
      counter.add(piece);
      yield piece;
    }
  } catch (error) {
    throw error instanceof TextFault ? error.at(counter.at(error.piece, error.offset)) : error;
  }
}

async function* decodePieces(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  file: string,
  check?: TextCheck,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | undefined;
  for await (let chunk of joinHead(chunks, 4)) {
    if (decoder === undefined) {
      const mark = readByteOrderMark(chunk);
      chunk = chunk.subarray(mark?.encoding === encoding ? mark.bytes : 0);
      decoder = createDecoder(encoding, file, check);
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
        check(piece);
        yield piece;
      }
      if (rest !== undefined) throw undecodable(file, "utf-8", rest);
    },
    end() {
      const held = utf8.end();
      if (held.length > 0) throw undecodable(file, "utf-8", held);
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
    check(piece);
    yield piece;
    if (at !== -1) throw undecodable(file, encoding);
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
      if (isUnicode && odd !== 0) throw undecodable(file, encoding);
    },
  };
}

/** The fault of bytes that do not exist in the encoding, and that `rest` begins with. */
function undecodable(file: string, encoding: string, rest: Buffer = Buffer.alloc(0)): TextFault {
  return new TextFault(rest, 0, (place) =>
    inputError({ file, ...place }, "undecodable", `bytes that are not ${encoding}`, {
      hint: suggestEncoding(encoding),
    }),
  );
}
