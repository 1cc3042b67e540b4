import type { Notice, Pin } from "../../model/reading.ts";
import { quoteText } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import { type ContentProof, createProofWriter, sourceChanged } from "../source/block-proof.ts";
import type { Source } from "../source/source.ts";
import { decode, decodePieces, joinHead, loadIconv, type TextCheck, TextFault } from "../text/decode.ts";
import type { WesternText } from "../text/judge-encoding.ts";
import { readLineAt } from "../text/read-line-at.ts";
import {
  beginReading,
  type ContentReader,
  type EncodingOptions,
  type EncodingVerdict,
  HEAD_BYTES,
} from "./content-reader.ts";

/**
 * The first pass over a source: settles its encoding, and proves its content. Reads it to its end; twice if it is not UTF-8.
 * Throws input errors.
 */
export async function readContent(source: Source, options: EncodingOptions): Promise<Content> {
  const writer = createContentWriter(source.name);
  let reader: ContentReader | undefined;
  /** Of an encoding that is tried: where the content is not in it. */
  let fault: TextFault | undefined;
  const take = (pieces: () => Iterable<Buffer>): void => {
    if (fault !== undefined) return;
    try {
      for (const piece of pieces()) writer.take(piece);
    } catch (error) {
      // A NUL is no text in any other encoding.
      if (!(error instanceof TextFault) || error.isNul || reader?.known !== undefined) throw error;
      fault = error;
    }
  };
  try {
    for await (const chunk of joinHead(source.open(), HEAD_BYTES)) {
      const isFirst = reader === undefined;
      reader ??= beginReading(chunk.subarray(0, HEAD_BYTES), options, source.name);
      const { decoder, markBytes } = reader;
      take(() => decoder.push(isFirst ? chunk.subarray(markBytes) : chunk));
      reader.judge?.push(chunk);
    }
    const { decoder } = reader ?? {};
    take(() => decoder?.end() ?? []);
  } catch (error) {
    throw error instanceof TextFault ? await findPlace(source, error, reader?.known, reader?.check) : error;
  }
  if (reader === undefined) throw noContent(source.name);
  const { known, judge } = reader;
  const verdict = judge?.finish();
  if (known === undefined) return settleEncoding(source, fault === undefined, verdict!, writer);
  const content = writer.finish();
  if (verdict?.foreignByte !== undefined) await refuseDisproved(source, known, verdict);
  return { ...content, encoding: known, notices: [], pins: [] };
}

/** The input error for the fault: the source is decoded again, and its lines are counted this time. */
async function findPlace(
  source: Source,
  fault: TextFault,
  encoding = "utf-8",
  check?: TextCheck,
): Promise<Error> {
  try {
    for await (const _ of decode(source.open(), encoding, source.name, check));
  } catch (error) {
    return error as Error;
  }
  return sourceChanged(source.name, fault);
}

/** The result of a pass over the bytes. */
export interface Content extends Decoded {
  readonly encoding: string;
  /** True if nothing shows the encoding: it was not given, and there is nothing but ASCII. */
  readonly isPlainAscii?: boolean;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** So many words of windows-1252 are no accident. */
const WORDS_THAT_PROVE = 3;

/** Throws an input error if the content is not in the encoding that was named. */
async function refuseDisproved(
  source: Source,
  named: string,
  { western, isUtf8: isValid, foreignByte = 0 }: EncodingVerdict,
): Promise<void> {
  const isWestern = named === "windows-1252";
  const { fits, firm, isDisproved } = western;
  // Bytes of a code page are valid UTF-8 only by accident, as a capital before a no-break space is.
  const isUtf8 = isValid && !(isWestern && fits);
  const isOther = !isWestern && fits && firm >= WORDS_THAT_PROVE && differs(named, western);
  if (!isUtf8 && !isOther && !(isWestern && isDisproved)) return;
  const { refuteEncoding } = await import("../text/encoding-question.ts");
  const better = isUtf8 ? "utf-8" : isOther ? "windows-1252" : undefined;
  throw await refuteEncoding(source, named, western, better, foreignByte);
}

/** True if the encoding gives one of the characters another meaning than windows-1252. */
function differs(encoding: string, { used }: WesternText): boolean {
  const iconv = loadIconv();
  return used.some(
    (character) => iconv.decode(iconv.encode(character, "windows-1252"), encoding) !== character,
  );
}

/** UTF-8 if all is valid, windows-1252 if its words and signs are; decoded again if it could not be `decoded` as UTF-8. Throws input errors. */
async function settleEncoding(
  source: Source,
  isDecoded: boolean,
  { western, isUtf8, foreignByte }: EncodingVerdict,
  writer: ContentWriter,
): Promise<Content> {
  if (western.hasHigh && isUtf8 === western.fits) {
    const { askForEncoding } = await import("../text/encoding-question.ts");
    throw await askForEncoding(source, western, { isUtf8, foreignByte });
  }
  const encoding = isUtf8 ? "utf-8" : "windows-1252";
  const content = isUtf8 && isDecoded ? writer.finish() : await decodeAgain(source, encoding);
  if (isUtf8) {
    const isPlainAscii = !western.hasHigh;
    return { ...content, encoding, isPlainAscii, notices: [], pins: [] };
  }
  const { line } = await readLineAt(source, foreignByte ?? 0);
  const because = `line ${line} is not UTF-8`;
  const text = `${because}: read as windows-1252${await showDoubts(source, western)}`;
  const pins = [{ what: "encoding" as const, option: `--encoding ${encoding}`, because }];
  return { ...content, encoding, notices: [{ line, text }], pins };
}

const MOST_DOUBTS_SHOWN = 3;

/** The words that are hardly words of windows-1252, each with its line. */
async function showDoubts(source: Source, { doubts }: WesternText): Promise<string> {
  const shown: string[] = [];
  for (const { text, offset } of doubts.slice(0, MOST_DOUBTS_SHOWN))
    shown.push(`${quoteText(text, 40)} (line ${(await readLineAt(source, offset)).line})`);
  return shown.length === 0 ? "" : `; look at ${shown.join(", ")}`;
}

async function decodeAgain(source: Source, encoding: string): Promise<Decoded> {
  const writer = createContentWriter(source.name);
  try {
    for await (const piece of decodePieces(source.open(), encoding, source.name)) writer.take(piece);
  } catch (error) {
    throw error instanceof TextFault ? await findPlace(source, error, encoding) : error;
  }
  return writer.finish();
}

export const SAMPLE_BYTES = 1_048_576;

/** What was decoded. */
interface Decoded {
  /** The first MiB, decoded. */
  readonly sample: Buffer;
  readonly proof: ContentProof;
}

/** Takes decoded content in order. */
interface ContentWriter {
  take(piece: Buffer): void;
  /** Throws an input error if there is nothing but white space. */
  finish(): Decoded;
}

function createContentWriter(file: string): ContentWriter {
  const proof = createProofWriter();
  const sample: Buffer[] = [];
  let sampleBytes = 0;
  let hasContent = false;
  return {
    take(piece) {
      proof.add(piece);
      hasContent ||= piece.some((byte) => byte > 0x20);
      if (sampleBytes >= SAMPLE_BYTES) return;
      sample.push(Buffer.from(piece.subarray(0, SAMPLE_BYTES - sampleBytes)));
      sampleBytes += piece.length;
    },
    finish() {
      if (!hasContent) throw noContent(file);
      return { sample: Buffer.concat(sample), proof: proof.finish() };
    },
  };
}

function noContent(file: string): Error {
  return inputError({ file }, "empty", "the file holds nothing but blank lines", {
    hint: "export it again, or leave it out",
  });
}
