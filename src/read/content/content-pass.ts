import type { Notice, Pin } from "../../model/reading.ts";
import { quoteText } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import { type ContentProof, createProofWriter, sourceChanged } from "../source/block-proof.ts";
import type { Source } from "../source/source.ts";
import { decode, joinHead, loadIconv, TextFault } from "../text/decode.ts";
import type { WesternText } from "../text/judge-encoding.ts";
import { readLineAt } from "../text/read-line-at.ts";
import {
  beginReading,
  type ContentReader,
  type EncodingOptions,
  type EncodingVerdict,
  HEAD_BYTES,
} from "./content-reader.ts";

/** What is known of content once its first MiB is read. */
type ContentSoFar = Pick<Content, "encoding" | "sample">;

/** Reads the source to its end; twice if its encoding is neither UTF-8 nor windows-1252. Throws input errors. */
export async function readContent(source: Source, options: EncodingOptions): Promise<Content> {
  const pass = new ContentPass(source, options);
  try {
    return await pass.end();
  } finally {
    await pass.close();
  }
}

/**
 * The first pass over a source, which settles its encoding and proves its content. The content can be used on the way,
 * as what it probably is: whether it is that only {@link finish} says.
 */
export class ContentPass {
  readonly #source: Source;
  readonly #options: EncodingOptions;
  readonly #writer: ContentWriter;
  readonly #pieces: AsyncGenerator<Buffer>;
  #reader: ContentReader | undefined;
  /** What was read ahead and not passed on yet. */
  readonly #ahead: Buffer[] = [];
  #fault: unknown;

  constructor(source: Source, options: EncodingOptions) {
    this.#source = source;
    this.#options = options;
    this.#writer = createContentWriter(source.name);
    this.#pieces = this.#decode();
  }

  /** Reads the first MiB; `undefined` if there is not more than that. Throws what ends the reading. */
  async readAhead(): Promise<ContentSoFar | undefined> {
    for (let bytes = 0; bytes <= SAMPLE_BYTES;) {
      const piece = await this.#next();
      if (piece === undefined) return undefined;
      this.#ahead.push(Buffer.from(piece));
      bytes += piece.length;
    }
    return { encoding: this.#reader!.encoding() ?? "utf-8", sample: this.#writer.sample() };
  }

  /**
   * All of the content, decoded as it is so far, in pieces that are lent until the next one is asked for; to be read once. It
   * ends before bytes that are no text, and throws what else ends the reading.
   */
  async *content(): AsyncGenerator<Buffer> {
    yield* this.#ahead.splice(0);
    try {
      for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) yield piece;
    } catch (error) {
      if (!(error instanceof TextFault)) throw error;
    }
  }

  /** Reads what is left. The content was that of {@link content} if `isAsRead` is true. Throws input errors. */
  async end(): Promise<Content & { readonly isAsRead: boolean }> {
    try {
      while ((await this.#next()) !== undefined);
      if (this.#reader === undefined) throw noContent(this.#source.name);
    } catch (error) {
      throw error instanceof TextFault ? await findPlace(this.#source, this.#reader!, error) : error;
    }
    const { known, encoding, judge } = this.#reader;
    const verdict = judge?.finish();
    if (known === undefined) {
      const content = await settleEncoding(this.#source, encoding(), verdict!, this.#writer);
      return { ...content, isAsRead: encoding() === content.encoding };
    }
    const content = this.#writer.finish();
    if (verdict?.foreignByte !== undefined) await refuseDisproved(this.#source, known, verdict);
    return { ...content, encoding: known, notices: [], pins: [], isAsRead: true };
  }

  /** Ends reading. */
  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  /** The next piece, which is lent; `undefined` at the end. */
  async #next(): Promise<Buffer | undefined> {
    if (this.#fault !== undefined) throw this.#fault;
    try {
      const { value } = await this.#pieces.next();
      if (value !== undefined) this.#writer.take(value);
      return value;
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  async *#decode(): AsyncGenerator<Buffer, undefined> {
    for await (const chunk of joinHead(this.#source.open(), HEAD_BYTES)) {
      const isFirst = this.#reader === undefined;
      const reader = (this.#reader ??= beginReading(
        chunk.subarray(0, HEAD_BYTES),
        this.#options,
        this.#source.name,
      ));
      for (const piece of reader.decoder.push(isFirst ? chunk.subarray(reader.markBytes) : chunk))
        yield piece;
      reader.judge?.push(chunk);
    }
    for (const piece of this.#reader?.decoder.end() ?? []) yield piece;
    return undefined;
  }
}

/** The input error for the fault: the source is decoded again, and its lines are counted this time. */
async function findPlace(source: Source, reader: ContentReader, fault: TextFault): Promise<Error> {
  const encoding = reader.encoding() ?? "utf-8";
  try {
    for await (const _ of decode(source.open(), encoding, source.name, reader.check));
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

/** UTF-8 if all is valid, windows-1252 if its words and signs are; decoded again if it was `decoded` as another. Throws input errors. */
async function settleEncoding(
  source: Source,
  decoded: string | undefined,
  { western, isUtf8, foreignByte }: EncodingVerdict,
  writer: ContentWriter,
): Promise<Content> {
  if (western.hasHigh && isUtf8 === western.fits) {
    const { askForEncoding } = await import("../text/encoding-question.ts");
    throw await askForEncoding(source, western, { isUtf8, foreignByte });
  }
  const encoding = isUtf8 ? "utf-8" : "windows-1252";
  const content = decoded === encoding ? writer.finish() : await decodeAgain(source, encoding);
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
  for await (const piece of decode(source.open(), encoding, source.name)) writer.take(piece);
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
export interface ContentWriter {
  take(piece: Buffer): void;
  /** Of what was taken so far. */
  sample(): Buffer;
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
    sample: () => Buffer.concat(sample),
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
