import type { RecPushError } from "../../model/failure.ts";
import type { Notice, Pin } from "../../model/reading.ts";
import { quoteText, quoteWord } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { type ContentProof, createProofWriter } from "../source/block-proof.ts";
import type { Source } from "../source/source.ts";
import {
  createDecoder,
  createTextCheck,
  decode,
  type Decoder,
  loadIconv,
  placeFault,
  readByteOrderMark,
  readLineAt,
  type TextCheck,
  TextFault,
} from "../text/decode.ts";
import { WesternJudge, type WesternText } from "../text/judge-encoding.ts";

/**
 * The first pass over a source: settles its encoding, and proves its content. Reads it to its end; twice if it is not UTF-8.
 * Throws input errors.
 */
export async function readContent(source: Source, options: EncodingOptions): Promise<Content> {
  const writer = new ContentWriter(source.name);
  let reader: ContentReader | undefined;
  /** Where the content contradicts its encoding; nothing is decoded from there on. */
  let fault: TextFault | undefined;
  for await (const chunk of joinHead(source.open())) {
    const { decoder, judge } = (reader ??= beginReading(chunk.subarray(0, HEAD_BYTES), options, source.name));
    fault ??= writer.takeAll(() => decoder.push(chunk));
    if (fault !== undefined && (judge === undefined || fault.isNul)) break;
    judge?.push(chunk);
  }
  if (reader === undefined) throw noContent(source.name);
  const { known, decoder, check, hasMark } = reader;
  fault ??= writer.takeAll(() => decoder.end());
  const verdict = reader.judge?.finish();
  const hasHigh = verdict?.hasHigh === true;
  const isTried = known === undefined && fault?.isNul !== true;
  if (isTried && hasHigh && verdict.isUtf8 === verdict.fits) {
    const { askForEncoding } = await import("../text/encoding-question.ts");
    throw await askForEncoding(source, verdict);
  }
  if (isTried && verdict?.isUtf8 === false) return readWestern(source, verdict);
  const encoding = known ?? "utf-8";
  if (fault !== undefined) throw await placeFault(fault, () => source.open(), source.name, encoding, check);
  const content = writer.finish();
  if (known !== undefined && hasHigh) await refuseDisproved(source, known, verdict);
  const isPlainAscii = known === undefined && !hasHigh;
  return { ...content, encoding, hasMark, isPlainAscii, notices: [], pins: [] };
}

/** The result of a pass over the bytes. */
export interface Content extends Decoded {
  readonly encoding: string;
  /** True if it begins with a byte order mark, which is no part of the decoded content. */
  readonly hasMark: boolean;
  /** True if the content is ASCII alone and no encoding was given. */
  readonly isPlainAscii: boolean;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** So many words of windows-1252 are no accident. */
const WORDS_THAT_PROVE = 3;

/** Throws an input error if the content is not in the encoding that was named. */
async function refuseDisproved(source: Source, named: string, western: WesternText): Promise<void> {
  const isWestern = named === "windows-1252";
  const { fits, firm, isDisproved } = western;
  // Bytes of a code page are valid UTF-8 only by accident, as a capital before a no-break space is.
  const isUtf8 = western.isUtf8 && !(isWestern && fits);
  const isOther = !isWestern && fits && firm >= WORDS_THAT_PROVE && differs(named, western);
  if (!isUtf8 && !isOther && !(isWestern && isDisproved)) return;
  const { refuteEncoding } = await import("../text/encoding-question.ts");
  throw await refuteEncoding(source, named, western, isUtf8 ? "utf-8" : isOther ? "windows-1252" : undefined);
}

/** True if the encoding gives one of the characters another meaning than windows-1252. */
function differs(encoding: string, { used }: WesternText): boolean {
  const iconv = loadIconv();
  return used.some(
    (character) => iconv.decode(iconv.encode(character, "windows-1252"), encoding) !== character,
  );
}

/** The content of a source that was tried as UTF-8, decoded again. */
async function readWestern(source: Source, western: WesternText): Promise<Content> {
  const encoding = "windows-1252";
  const writer = new ContentWriter(source.name);
  const open = (): AsyncIterable<Buffer> => source.open();
  for await (const piece of decode(open, encoding, source.name, createTextCheck(encoding)))
    writer.take(piece);
  const { line } = await readLineAt(source, western.foreignByte);
  const because = `line ${line} is not UTF-8`;
  const text = `${because}: read as windows-1252${await showDoubts(source, western)}`;
  const pins = [{ what: "encoding" as const, option: `--encoding ${encoding}`, because }];
  const notices = [{ line, text }];
  return { ...writer.finish(), encoding, hasMark: false, isPlainAscii: false, notices, pins };
}

const MOST_DOUBTS_SHOWN = 3;

/** The words that are hardly words of windows-1252, each with its line. */
async function showDoubts(source: Source, { doubts }: WesternText): Promise<string> {
  const shown: string[] = [];
  for (const { text, offset } of doubts.slice(0, MOST_DOUBTS_SHOWN))
    shown.push(`${quoteText(text, 40)} (line ${(await readLineAt(source, offset)).line})`);
  return shown.length === 0 ? "" : `; look at ${shown.join(", ")}`;
}

/** So much of the content settles how its rows are read. */
const SAMPLE_BYTES = 1_048_576;

/** The decoded content. */
interface Decoded {
  /** Its beginning: the first MiB. */
  readonly sample: Buffer;
  readonly proof: ContentProof;
}

/** Takes decoded content in order. */
class ContentWriter {
  readonly #file: string;
  readonly #proof = createProofWriter();
  readonly #sample: Buffer[] = [];
  #sampleBytes = 0;
  #hasContent = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes pieces up to a fault, and returns it. */
  takeAll(pieces: () => Iterable<Buffer>): TextFault | undefined {
    try {
      for (const piece of pieces()) this.take(piece);
      return undefined;
    } catch (error) {
      if (error instanceof TextFault) return error;
      throw error;
    }
  }

  take(piece: Buffer): void {
    this.#proof.add(piece);
    this.#hasContent ||= piece.some((byte) => byte > 0x20);
    if (this.#sampleBytes >= SAMPLE_BYTES) return;
    this.#sample.push(Buffer.from(piece.subarray(0, SAMPLE_BYTES - this.#sampleBytes)));
    this.#sampleBytes += piece.length;
  }

  /** Throws an input error if there is nothing but white space. */
  finish(): Decoded {
    if (!this.#hasContent) throw noContent(this.#file);
    return { sample: Buffer.concat(this.#sample), proof: this.#proof.finish() };
  }
}

function noContent(file: string): Error {
  return inputError({ file }, "empty", "the file holds nothing but blank lines", {
    hint: "export it again, or leave it out",
  });
}

/** This many bytes decide what kind of content it is, however the input is cut. */
export const HEAD_BYTES = 4096;

type EncodingOptions = Pick<ReadOptions, "encoding">;

/** Joins the first chunks until they hold the head. */
async function* joinHead(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const isBehind = head.length >= HEAD_BYTES;
    if (!isBehind) head = Buffer.concat([head, chunk]);
    if (head.length >= HEAD_BYTES) yield isBehind ? chunk : head;
  }
  if (head.length > 0 && head.length < HEAD_BYTES) yield head;
}

/** Decodes content, and watches for signs of another encoding. */
interface ContentReader {
  readonly decoder: Decoder;
  readonly hasMark: boolean;
  /** The encoding that was named, or that a byte order mark tells; `undefined` if UTF-8 is tried. */
  readonly known: string | undefined;
  readonly check: TextCheck;
  /** Set if the content may contradict the encoding. */
  readonly judge: WesternJudge | undefined;
}

/** Decides by its first bytes how content is read. Throws input errors. */
export function beginReading(
  head: Buffer,
  { encoding: option }: EncodingOptions,
  file: string,
): ContentReader {
  const isForced = option?.endsWith("!") === true;
  const named = isForced ? option?.slice(0, -1) : option;
  const mark = readByteOrderMark(head);
  refuseBinaryContent(head, file);
  if (mark !== undefined && named !== undefined && named !== mark.encoding) {
    throw contradicted(file, mark.encoding, named);
  }
  const known = named ?? mark?.encoding;
  const isWide = known !== undefined && /^utf-(16|32)/.test(known);
  if (!isWide) refuseNulBytes(head, file);
  const encoding = known ?? "utf-8";
  // A user who names UTF-8 accepts its characters as they are; a byte order mark alone does not imply that.
  const check = createTextCheck(encoding, { allowsC1: named === "utf-8" });
  const isCertain = isForced || isWide || mark !== undefined || known === "utf-8";
  return {
    decoder: createDecoder(encoding, check),
    hasMark: mark !== undefined,
    known,
    check,
    judge: isCertain ? undefined : new WesternJudge(),
  };
}

/** The input error for a byte order mark that contradicts the encoding given on the command line or in a config. */
function contradicted(file: string, marked: string, named: string): RecPushError {
  const what = `a byte order mark says ${marked}, --encoding or the config says ${named}`;
  return inputError({ file }, "contradicting-mark", what, {
    hint: `--encoding ${marked}, which counts before the config`,
  });
}

const EXPORT_HINT = "save it as CSV (UTF-8) and push that";
const UNPACK_HINT = "unpack it and push the file inside";
/** `zstd` itself unpacks the file into the command. */
const ZSTD_HINT = "give it unpacked, with the other options of this command: zstd -dc FILE | rec-push -";

/** The first bytes of files that people push by mistake, what these are, and what to do. Not all of them begin with NUL bytes. */
const SIGNATURES: readonly (readonly [bytes: string, what: string, hint: string])[] = [
  [
    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "an old Excel workbook (.xls), or one that is protected by a password",
    "save it as .xlsx without a password, or as CSV (UTF-8), and push that",
  ],
  ["\x28\xb5\x2f\xfd", "a zstd file", ZSTD_HINT],
  // As pzstd begins.
  ["\x50\x2a\x4d\x18", "a zstd file", ZSTD_HINT],
  ["%PDF-", "a PDF document", "export the table itself as CSV"],
  ["{\\rtf", "a rich text document (.rtf)", EXPORT_HINT],
  ["\x1f\x8b", "a gzip file inside another", UNPACK_HINT],
  ["BZh", "a bzip2 file", UNPACK_HINT],
  ["\xfd7zXZ\0", "an xz file", UNPACK_HINT],
  ["7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK_HINT],
  ["Rar!\x1a\x07", "a RAR archive", UNPACK_HINT],
];

/** Throws an input error that says what the content looks like if its first bytes show that it is not a text table. */
function refuseBinaryContent(head: Buffer, file: string): void {
  const first = head.toString("latin1", 0, 8);
  for (const [bytes, what, hint] of SIGNATURES) {
    if (!first.startsWith(bytes)) continue;
    const named = (): string => quoteWord(file.startsWith("-") ? `./${file}` : file);
    throw notATable(file, what, file === "<stdin>" ? hint : hint.replace("FILE", named));
  }
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
    throw inputError({ file }, "undecodable", "this looks like UTF-16 without a byte order mark", {
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
