import { isAscii, isUtf8 } from "node:buffer";
import type iconv from "iconv-lite";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { requireIconv } from "./iconv-module.ts";
import { createPlaceCounter } from "./read-line-at.ts";

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

/** Like {@link decode}, for content that was decoded before. Throws a {@link TextFault} where it is no text any more. */
export async function* decodePieces(
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
  check: TextCheck = createTextCheck(file, encoding),
): Decoder {
  return encoding === "utf-8" ? createUtf8Decoder(file, check) : createTableDecoder(encoding, file, check);
}

function createUtf8Decoder(file: string, check: TextCheck): Decoder {
  const utf8 = createUtf8Check();
  return {
    *push(chunk) {
      const { valid, rest } = utf8.push(chunk);
      check(valid);
      if (valid.length > 0) yield valid;
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

const WESTERN = "windows-1252";
const C1 = /[\x80-\x9f]/g;
const OF_C1 = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ";

/** The text of bytes in windows-1252, five times as fast as iconv-lite. */
export function decodeWestern(bytes: Buffer): string {
  return bytes.toString("latin1").replace(C1, (byte) => OF_C1[byte.charCodeAt(0) - 0x80]!);
}

function createTableDecoder(encoding: string, file: string, check: TextCheck): Decoder {
  const stream = encoding === WESTERN ? undefined : loadIconv().getDecoder(encoding, { stripBOM: false });
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
      let text = held + (stream?.write(chunk) ?? decodeWestern(chunk));
      // The end of a chunk may split a surrogate pair: its first half waits for the second.
      const cut = isUnicode && /[\uD800-\uDBFF]$/.test(text) ? 1 : 0;
      held = text.slice(text.length - cut);
      text = text.slice(0, text.length - cut);
      yield* give(text);
    },
    *end() {
      yield* give(held + (stream?.end() ?? ""));
      if (isUnicode && odd !== 0) throw undecodable(file, encoding);
    },
  };
}

/** The fault of bytes that do not exist in the encoding, and that `rest` begins with. */
function undecodable(file: string, encoding: string, rest: Buffer = Buffer.alloc(0)): TextFault {
  const at: TextFault["at"] = (place) =>
    inputError({ file, ...place }, "undecodable", `bytes that are not ${encoding}`, {
      hint: suggestEncoding(encoding),
    });
  return new TextFault(rest, 0, at);
}

/** The one of UTF-16 begins like that of UTF-32. */
const BYTE_ORDER_MARKS = [
  ["utf-8", "efbbbf"],
  ["utf-32le", "fffe0000"],
  ["utf-16le", "fffe"],
  ["utf-16be", "feff"],
  ["utf-32be", "0000feff"],
] as const;

/** The encoding that a byte order mark indicates, and its length. Needs the first four bytes of the input, or all of a shorter one. */
export function readByteOrderMark(
  head: Buffer,
): { readonly encoding: string; readonly bytes: number } | undefined {
  const first = head.toString("hex", 0, 4);
  const [encoding, mark] = BYTE_ORDER_MARKS.find(([, hex]) => first.startsWith(hex)) ?? [];
  return mark === undefined ? undefined : { encoding, bytes: mark.length / 2 };
}

/** Joins the first chunks until they hold `bytes` bytes, so that a mark is never cut in two. */
export async function* joinHead(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    if (head.length + chunk.length < bytes) {
      head = Buffer.concat([head, chunk]);
      continue;
    }
    yield head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) {
    yield head;
  }
}

/** A place in a text; line and column count from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * Bytes that are no text. They are at `offset` of `piece`, which follows valid pieces. Lines are only counted when a
 * message needs them.
 */
export class TextFault extends Error {
  readonly piece: Buffer;
  readonly offset: number;
  /** True for a NUL, which no other encoding of this width explains. */
  readonly isNul: boolean;
  /** The input error for the place. */
  readonly at: (place: TextPlace) => RecPushError;

  constructor(piece: Buffer, offset: number, at: TextFault["at"]) {
    super("bytes that are no text");
    this.piece = piece;
    this.offset = offset;
    this.isNul = piece[offset] === 0;
    this.at = at;
  }
}

/**
 * Checks decoded text (UTF-8, whole characters). Throws a {@link TextFault} at a control character that does not occur
 * in text (NUL, U+0080 to U+009F).
 */
export type TextCheck = (piece: Buffer) => void;

/** `encoding` is the one that the messages question; `allowsC1` if the user named it and it cannot be another. */
export function createTextCheck(
  file: string,
  encoding: string,
  { allowsC1 = false }: { readonly allowsC1?: boolean } = {},
): TextCheck {
  return (piece) => {
    const nul = piece.indexOf(0);
    const control = allowsC1 ? -1 : findC1Control(piece);
    if (nul !== -1 && (control === -1 || nul < control))
      throw new TextFault(piece, nul, (place) =>
        inputError({ file, ...place }, "nul-byte", "a NUL character, which does not occur in text", {
          hint: `export the file again as text${encoding.startsWith("utf-16") ? "" : ", or name its encoding: --encoding utf-16le"}`,
        }),
      );
    if (control === -1) return;
    const code = (piece[control + 1] ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw new TextFault(piece, control, (place) =>
      inputError(
        { file, ...place },
        "control-character",
        `read as ${encoding}, this is the control character U+${code}, which does not occur in text`,
        { hint: encoding === "utf-8" ? SPOILT_HINT : suggestEncoding(encoding) },
      ),
    );
  };
}

/** In valid UTF-8, characters like these come from a wrong decoding before the export. */
const SPOILT_HINT =
  "the text was damaged before it was exported: export it again, or take it as it is with --encoding utf-8";

/** The options worth trying after an encoding has failed. */
function suggestEncoding(failed: string): string {
  const others = ["windows-1252", "utf-8", "iso-8859-15", "cp850"].filter((name) => name !== failed);
  return `name the encoding: ${others.map((name) => `--encoding ${name}`).join(", ")}`;
}

/** U+0080 to U+009F are C2 80 to C2 9F in UTF-8. */
function findC1Control(piece: Buffer): number {
  if (isAscii(piece)) {
    return -1;
  }
  let at = piece.indexOf(0xc2);
  while (at !== -1 && (piece[at + 1] ?? 0xff) >= 0xa0) {
    at = piece.indexOf(0xc2, at + 2);
  }
  return at;
}

let loaded: typeof iconv | undefined;

/** iconv-lite, loaded the first time an encoding other than UTF-8 is met. */
export function loadIconv(): typeof iconv {
  loaded ??= withEuroInMacRoman(requireIconv());
  return loaded;
}

/** Apple replaced the currency sign with the euro sign in 1998; iconv-lite still has the former. */
function withEuroInMacRoman(codecs: typeof iconv): typeof iconv {
  // iconv-lite loads its tables when it is first asked for one.
  codecs.encodingExists("utf-8");
  const macRoman = codecs.encodings?.["macroman"];
  if (typeof macRoman === "object") macRoman["chars"] = String(macRoman["chars"]).replace("¤", "€");
  return codecs;
}

/** The result of {@link Utf8Check.push} for one chunk. */
interface CheckedBytes {
  /** Valid UTF-8 in whole characters; the chunk itself if nothing is cut off. */
  readonly valid: Buffer;
  /** Everything from the first invalid byte on; checking ends there. */
  readonly rest: Buffer | undefined;
}

/** Checks chunks cut anywhere, holding back a character that the end of a chunk cuts in two. */
export interface Utf8Check {
  push(chunk: Buffer): CheckedBytes;
  /** The bytes of a character that the end of the input cuts off; empty if there are none. */
  end(): Buffer;
}

/** Starts a check at a character boundary. */
export function createUtf8Check(): Utf8Check {
  let held: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const whole = bytes.subarray(0, bytes.length - cutBytes(bytes));
      held = Buffer.from(bytes.subarray(whole.length));
      if (isAscii(whole) || isUtf8(whole)) return { valid: whole, rest: undefined };
      const length = validLength(whole);
      return { valid: whole.subarray(0, length), rest: bytes.subarray(length) };
    },
    end: () => held,
  };
}

/** Bytes at the end that may be the beginning of a character that the chunk's end cuts in two. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const first = bytes[bytes.length - back]!;
    if (first < 0x80) return 0;
    if (first >= 0xc0) return back < (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4) ? back : 0;
  }
  return 0;
}

const REPLACEMENT_CHARACTER = "\u{FFFD}";

/** Bytes that are no UTF-8 are decoded as U+FFFD, which may also be in the text itself. */
function validLength(bytes: Buffer): number {
  const text = bytes.toString();
  let length = 0;
  let from = 0;
  for (;;) {
    const at = text.indexOf(REPLACEMENT_CHARACTER, from);
    length += Buffer.byteLength(text.slice(from, at === -1 ? undefined : at));
    if (at === -1 || bytes.toString("latin1", length, length + 3) !== "\xef\xbf\xbd") return length;
    length += 3;
    from = at + 1;
  }
}
