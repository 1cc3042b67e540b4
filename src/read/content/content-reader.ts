import { isAscii } from "node:buffer";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import {
  createDecoder,
  createTextCheck,
  type Decoder,
  readByteOrderMark,
  type TextCheck,
  TextFault,
} from "../text/decode.ts";
import { WesternJudge } from "../text/judge-encoding.ts";
import { createUtf8Check } from "../text/utf8-check.ts";

/** This many bytes decide what kind of content it is, however the input is cut. */
export const HEAD_BYTES = 4096;

export type EncodingOptions = Pick<ReadOptions, "encoding" | "configured">;

/** Reads content whose encoding is known from a byte order mark, named, or tried. */
export type ContentReader = KnownReader | TrialReader;

export interface KnownReader {
  readonly kind: "known";
  readonly encoding: string;
  readonly decoder: Decoder;
  readonly check: TextCheck;
  readonly markBytes: number;
  /** Set if the encoding was named and the content may contradict it. */
  readonly western: WesternJudge | undefined;
  /** Whether all of it is valid UTF-8, if the content may contradict the encoding. */
  readonly utf8: Utf8Watch | undefined;
}

export interface TrialReader {
  readonly kind: "trial";
  readonly decoder: TrialDecoder;
  readonly markBytes: 0;
  readonly western: WesternJudge;
}

/** How content that begins so is read. Throws input errors. */
export function beginReading(
  head: Buffer,
  { encoding: option, configured }: Pick<ReadOptions, "encoding" | "configured">,
  file: string,
): ContentReader {
  const isForced = option?.endsWith("!") === true;
  const named = isForced ? option?.slice(0, -1) : option;
  const mark = readByteOrderMark(head);
  refuseBinaryContent(head, file);
  if (mark !== undefined && named !== undefined && named !== mark.encoding) {
    throw contradicted(file, mark.encoding, named, configured?.has("encoding") === true);
  }
  const encoding = named ?? mark?.encoding;
  const isWide = encoding !== undefined && /^utf-(16|32)/.test(encoding);
  if (!isWide) refuseNulBytes(head, file);
  if (encoding === undefined) {
    return { kind: "trial", decoder: createTrialDecoder(file), markBytes: 0, western: new WesternJudge() };
  }
  // A user who names UTF-8 accepts its characters as they are; a byte order mark alone does not imply that.
  const check = createTextCheck(file, () => encoding, { allowsC1: named === "utf-8" });
  const isCertain = isForced || isWide || mark !== undefined;
  return {
    kind: "known",
    encoding,
    check,
    decoder: createDecoder(encoding, file, check),
    markBytes: mark?.bytes ?? 0,
    western: isCertain || encoding === "utf-8" ? undefined : new WesternJudge(),
    utf8: isCertain || encoding === "utf-8" ? undefined : new Utf8Watch(),
  };
}

/** Watches whether content is valid UTF-8, beside what reads it in another encoding. */
export class Utf8Watch {
  readonly #check = createUtf8Check();
  #isUtf8 = true;
  /** The offset of the first byte that is not ASCII. */
  firstHigh: number | undefined;
  #bytes = 0;

  push(chunk: Buffer): void {
    if (this.firstHigh === undefined && !isAscii(chunk))
      this.firstHigh = this.#bytes + chunk.findIndex((byte) => byte >= 0x80);
    this.#bytes += chunk.length;
    this.#isUtf8 &&= this.#check.push(chunk).rest === undefined;
  }

  end(): boolean {
    return this.#isUtf8 && this.#check.end().length === 0;
  }
}

/** The encoding as far as it is known. */
export function encodingOf(reader: ContentReader): string {
  return reader.kind === "known" ? reader.encoding : (reader.decoder.encoding() ?? "utf-8");
}

/** The input error for a byte order mark that contradicts the encoding given on the command line or in a config. */
function contradicted(file: string, marked: string, named: string, isConfigured: boolean): RecPushError {
  const by = isConfigured ? "the config" : "--encoding";
  return inputError({ file }, "contradicting-mark", `a byte order mark says ${marked}, ${by} says ${named}`, {
    hint: isConfigured
      ? `add --encoding ${marked}, which counts before the config, or change "encoding" in the config`
      : `leave --encoding out, or --encoding ${marked}`,
  });
}

/**
 * Decodes in the encoding that the input probably has, before all of it was seen; ask for that encoding after `end`.
 */
interface TrialDecoder extends Decoder {
  /** The encoding in which all of it was decoded; `undefined` if that failed. */
  readonly encoding: () => "utf-8" | "windows-1252" | undefined;
  /** Whether everything so far is valid UTF-8. */
  readonly isUtf8: () => boolean;
  /** The offset of the first byte that is not UTF-8 or, if there is none, not ASCII. */
  readonly foreignByte: () => number | undefined;
}

/**
 * UTF-8 until the first byte that is not, and windows-1252 from there on: most inputs need no second pass, because what
 * comes before is mostly ASCII, which both read alike. Throws only what no encoding could fix.
 */
function createTrialDecoder(file: string): TrialDecoder {
  const utf8 = createUtf8Check();
  let fallback: Decoder | undefined;
  let hasFailed = false;
  let isUtf8 = true;
  /** Of what was decoded as UTF-8. */
  let bytes = 0;
  let firstMultiByte: number | undefined;
  let firstInvalid: number | undefined;
  const check = createTextCheck(file, () => (fallback === undefined ? "utf-8" : "windows-1252"));

  function* decodeUtf8(chunk: Buffer): Generator<Buffer> {
    const { pieces, rest } = utf8.push(chunk);
    isUtf8 = rest === undefined;
    for (const piece of pieces) {
      if (firstMultiByte === undefined && !isAscii(piece))
        firstMultiByte = bytes + piece.findIndex((byte) => byte >= 0x80);
      check(piece);
      bytes += piece.length;
      yield piece;
    }
    if (rest !== undefined) yield* fallBack(rest);
  }

  function* fallBack(rest: Buffer): Generator<Buffer> {
    firstInvalid = bytes;
    // The text that was already decoded as UTF-8 would have to be decoded again.
    if (firstMultiByte !== undefined) hasFailed = true;
    else {
      fallback = createDecoder("windows-1252", file, check);
      yield* fallback.push(rest);
    }
  }

  /** Continues to check for UTF-8 after a failure in valid UTF-8, because the rest may be invalid. */
  function checkOn(chunk: Buffer): Iterable<Buffer> {
    isUtf8 &&= utf8.push(chunk).rest === undefined;
    return [];
  }

  function* attempt(pieces: () => Iterable<Buffer>): Generator<Buffer> {
    if (hasFailed) return;
    try {
      yield* pieces();
    } catch (error) {
      if (!(error instanceof TextFault) || error.isNul) throw error;
      hasFailed = true;
    }
  }

  return {
    push: (chunk) =>
      hasFailed
        ? checkOn(chunk)
        : attempt(() => (fallback === undefined ? decodeUtf8(chunk) : fallback.push(chunk))),
    *end() {
      isUtf8 &&= utf8.end().length === 0;
      yield* attempt(() => {
        const held = utf8.end();
        return fallback === undefined && held.length > 0 ? fallBack(held) : [];
      });
      yield* attempt(() => fallback?.end() ?? []);
    },
    encoding: () => (hasFailed ? undefined : fallback === undefined ? "utf-8" : "windows-1252"),
    isUtf8: () => isUtf8,
    foreignByte: () => firstInvalid ?? firstMultiByte,
  };
}

interface Signature {
  readonly bytes: Buffer;
  readonly what: string;
  readonly hint: string;
}

const EXPORT_HINT = "save it as CSV (UTF-8) and push that";
const UNPACK_HINT = "unpack it and push the file inside";

function signature(bytes: string, what: string, hint: string): Signature {
  return { bytes: Buffer.from(bytes, "latin1"), what, hint };
}

/** The first bytes of files that people push by mistake, and that need not hold NUL bytes at once. */
const SIGNATURES: readonly Signature[] = [
  signature("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls)", EXPORT_HINT),
  signature("%PDF-", "a PDF document", "export the table itself as CSV"),
  signature("{\\rtf", "a rich text document (.rtf)", EXPORT_HINT),
  signature("\x1f\x8b", "a gzip file inside another", UNPACK_HINT),
  signature("\x28\xb5\x2f\xfd", "a zstd file inside another", UNPACK_HINT),
  signature("BZh", "a bzip2 file", UNPACK_HINT),
  signature("\xfd7zXZ\0", "an xz file", UNPACK_HINT),
  signature("7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK_HINT),
  signature("Rar!\x1a\x07", "a RAR archive", UNPACK_HINT),
];

/** Throws an input error that says what the content looks like if its first bytes show that it is not a text table. */
function refuseBinaryContent(head: Buffer, file: string): void {
  const found = SIGNATURES.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (found !== undefined) throw notATable(file, found.what, found.hint);
  const start = head
    .toString("latin1", 0, 512)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .toLowerCase();
  if (/^<(!doctype html|html|head|body|table)/.test(start)) {
    throw notATable(file, "an HTML page (some systems name such an export .xls or .csv)", EXPORT_HINT);
  }
  if (start.startsWith("<?xml")) {
    throw notATable(file, "an XML document", EXPORT_HINT);
  }
}

/** For bytes that are not UTF-16 or UTF-32: throws an input error if NUL bytes show that they are not text at all. */
function refuseNulBytes(head: Buffer, file: string): void {
  let even = 0;
  let odd = 0;
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) {
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  // Mostly Latin text in UTF-16 has a NUL in nearly every other byte.
  if (head.length >= 8 && Math.max(even, odd) > head.length * 0.3) {
    const encoding = odd > even ? "utf-16le" : "utf-16be";
    throw inputError({ file }, "utf-16-without-mark", "this looks like UTF-16 without a byte order mark", {
      hint: `--encoding ${encoding}`,
    });
  }
  if (even + odd > Math.max(8, head.length * 0.01)) {
    throw notATable(file, "binary data (NUL bytes)", "export the table as CSV or JSON");
  }
}

function notATable(file: string, what: string, hint: string): RecPushError {
  return inputError({ file }, "not-a-table", `this is ${what}, not CSV or JSON`, { hint });
}
