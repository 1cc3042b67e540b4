import { isAscii, isUtf8 } from "node:buffer";
import type iconv from "iconv-lite";
import type { FailureCode } from "../../model/failure-codes.ts";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { Source } from "../source/source.ts";
import { requireIconv } from "./iconv-module.ts";

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
  open: () => AsyncIterable<Buffer>,
  encoding: string,
  file: string,
  check?: TextCheck,
): AsyncGenerator<Buffer> {
  const decoder = createDecoder(encoding, check);
  try {
    for await (const chunk of open()) yield* decoder.push(chunk);
    yield* decoder.end();
  } catch (error) {
    throw error instanceof TextFault ? await placeFault(error, open, file, encoding, check) : error;
  }
}

/** The input error for a fault: the input is decoded once more, and its lines are counted this time. */
export async function placeFault(
  fault: TextFault,
  open: () => AsyncIterable<Buffer>,
  file: string,
  encoding: string,
  check?: TextCheck,
): Promise<RecPushError> {
  const counter = new PlaceCounter();
  const decoder = createDecoder(encoding, check);
  try {
    for await (const chunk of open()) for (const piece of decoder.push(chunk)) counter.add(piece);
    for (const piece of decoder.end()) counter.add(piece);
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    counter.add(error.before);
  }
  const { line, column } = counter;
  return inputError({ file, line, column }, fault.code, fault.message, { hint: fault.hint });
}

/** A decoder that drops the byte order mark. */
export function createDecoder(encoding: string, check: TextCheck = () => undefined): Decoder {
  return encoding === "utf-8" ? createUtf8Decoder(check) : createTableDecoder(encoding, check);
}

function createUtf8Decoder(check: TextCheck): Decoder {
  const utf8 = createUtf8Check();
  let isFirst = true;
  return {
    *push(chunk) {
      const { valid, rest } = utf8.push(chunk);
      const piece = isFirst ? valid.subarray(readByteOrderMark(valid)?.bytes ?? 0) : valid;
      isFirst &&= valid.length === 0;
      check(piece);
      if (piece.length > 0) yield piece;
      if (rest !== undefined) throw undecodable("utf-8");
    },
    end() {
      if (utf8.end().length > 0) throw undecodable("utf-8");
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

function createTableDecoder(encoding: string, check: TextCheck): Decoder {
  const stream = encoding === WESTERN ? undefined : loadIconv().getDecoder(encoding);
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
    if (at !== -1) throw undecodable(encoding);
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
      if (isUnicode && odd !== 0) throw undecodable(encoding);
    },
  };
}

/** The fault of bytes that do not exist in the encoding, behind all pieces that were given. */
function undecodable(encoding: string): TextFault {
  return new TextFault(NONE, "undecodable", `bytes that are not ${encoding}`, suggestEncoding(encoding));
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

const NONE: Buffer = Buffer.alloc(0);

/** Bytes that are no text. Lines are only counted when a message needs them. */
export class TextFault extends Error {
  /** The text between the pieces that were given and the fault. */
  readonly before: Buffer;
  readonly code: FailureCode;
  readonly hint: string;

  constructor(before: Buffer, code: FailureCode, what: string, hint: string) {
    super(what);
    this.before = before;
    this.code = code;
    this.hint = hint;
  }

  /** True for a NUL, which no other encoding of this width explains. */
  get isNul(): boolean {
    return this.code === "nul-byte";
  }
}

/**
 * Checks decoded text (UTF-8, whole characters). Throws a {@link TextFault} at a control character that does not occur
 * in text (NUL, U+0080 to U+009F).
 */
export type TextCheck = (piece: Buffer) => void;

/** `encoding` is the one that the messages question; `allowsC1` if the user named it and it cannot be another. */
export function createTextCheck(
  encoding: string,
  { allowsC1 = false }: { readonly allowsC1?: boolean } = {},
): TextCheck {
  return (piece) => {
    const nul = piece.indexOf(0);
    const control = allowsC1 ? -1 : findC1Control(piece);
    if (nul !== -1 && (control === -1 || nul < control)) {
      const other = encoding.startsWith("utf-16") ? "" : ", or name its encoding: --encoding utf-16le";
      const what = "a NUL character, which does not occur in text";
      throw new TextFault(piece.subarray(0, nul), "nul-byte", what, `export the file again as text${other}`);
    }
    if (control === -1) return;
    const code = (piece[control + 1] ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw new TextFault(
      piece.subarray(0, control),
      "control-character",
      `read as ${encoding}, this is the control character U+${code}, which does not occur in text`,
      encoding === "utf-8" ? SPOILT_HINT : suggestEncoding(encoding),
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
interface Utf8Check {
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

const LF = 10;
const CR = 13;

/** Counts physical lines (LF, CRLF, CR) and the characters of the last one, both from 1, over bytes in UTF-8. */
export class PlaceCounter {
  line = 1;
  column = 1;
  #isAfterCr = false;

  /** Moves on over whole characters. */
  add(piece: Buffer): void {
    let { line, column } = this;
    let isAfterCr = this.#isAfterCr;
    for (const byte of piece) {
      if (byte === LF || byte === CR) {
        if (byte === CR || !isAfterCr) line += 1;
        column = 1;
        // Continuation bytes (10xxxxxx) belong to the character before.
      } else if ((byte & 0xc0) !== 0x80) column += 1;
      isAfterCr = byte === CR;
    }
    this.line = line;
    this.column = column;
    this.#isAfterCr = isAfterCr;
  }
}

/** Of a long line, at most this many bytes before and after the place are returned. */
const BEFORE_BYTES = 40;
const AFTER_BYTES = 60;

/**
 * The place of the byte at `offset`, and the undecoded text of its physical line around it. Reads the source up to
 * there.
 */
export async function readLineAt(
  source: Source,
  offset: number,
): Promise<{ line: number; column: number; bytes: Buffer }> {
  const counter = new PlaceCounter();
  let before: Buffer = Buffer.alloc(0);
  let after: Buffer = Buffer.alloc(0);
  let position = 0;
  for await (const chunk of source.open()) {
    const at = Math.max(0, offset - position);
    const skipped = chunk.subarray(0, at);
    counter.add(skipped);
    before = Buffer.concat([before, skipped.subarray(-BEFORE_BYTES)]).subarray(-BEFORE_BYTES);
    after = Buffer.concat([after, chunk.subarray(at, at + AFTER_BYTES)]);
    position += chunk.length;
    if (after.length >= AFTER_BYTES) break;
  }
  const text = Buffer.concat([before, after.subarray(0, AFTER_BYTES)]);
  const start = 1 + Math.max(...["\n", "\r"].map((end) => before.lastIndexOf(end)));
  const ends = ["\n", "\r"].map((end) => text.indexOf(end, before.length)).filter((at) => at !== -1);
  const { line, column } = counter;
  return { line, column, bytes: text.subarray(start, Math.min(...ends, text.length)) };
}
