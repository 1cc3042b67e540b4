import type { Notice, Pin } from "../../model/reading.ts";
import { inputError } from "../input-error.ts";
import {
  type BlockProof,
  type ContentProof,
  createProofWriter,
  cutIntoPieces,
  sourceChanged,
} from "../source/block-proof.ts";
import type { Source } from "../source/source.ts";
import { decode, joinHead, TextFault } from "../text/decode.ts";
import type { Evidence } from "../text/evidence.ts";
import {
  beginReading,
  type ContentReader,
  encodingOf,
  type EncodingOptions,
  HEAD_BYTES,
  type KnownReader,
  type TrialReader,
} from "./content-reader.ts";

/** What is known of content once its first MiB is read. */
export interface ContentSoFar {
  readonly encoding: string;
  readonly sample: Buffer;
  /** Grows while the rest is read. */
  readonly proof: BlockProof;
}

/** Reads the source to its end; twice if its encoding is neither UTF-8 nor windows-1252. Throws input errors. */
export async function readContent(source: Source, options: EncodingOptions): Promise<Content> {
  const pass = new ContentPass(source, options);
  try {
    return await pass.finish();
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
  #ahead: Buffer[] = [];
  #hasEnded = false;
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
    const { sample, proof } = this.#writer.soFar();
    return { encoding: encodingOf(this.#reader!), sample, proof };
  }

  /**
   * All of the content, decoded as it is so far, in pieces that are lent until the next one is asked for; to be read once. It
   * ends before bytes that are no text, and throws what else ends the reading.
   */
  async *content(): AsyncGenerator<Buffer> {
    for (const piece of this.#ahead.splice(0)) for (const part of cutIntoPieces(piece)) yield part;
    for (;;) {
      const piece = await this.#nextText();
      if (piece === undefined) return;
      for (const part of cutIntoPieces(piece)) yield part;
    }
  }

  /** Reads what is left. The content was that of {@link content} if `isAsRead` is true. Throws input errors. */
  async finish(): Promise<Content & { readonly isAsRead: boolean }> {
    try {
      while ((await this.#next()) !== undefined);
      if (this.#reader === undefined) throw noContent(this.#source.name);
    } catch (error) {
      throw error instanceof TextFault ? await findPlace(this.#source, this.#reader!, error) : error;
    }
    const reader = this.#reader;
    const content =
      reader.kind === "trial"
        ? await settleEncoding(this.#source, reader, this.#writer)
        : await confirmEncoding(this.#source, reader, this.#writer);
    return {
      ...content,
      isAsRead: reader.kind === "known" || reader.decoder.encoding() === content.encoding,
    };
  }

  /** Ends reading. */
  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  async #nextText(): Promise<Buffer | undefined> {
    try {
      return await this.#next();
    } catch (error) {
      if (error instanceof TextFault) return undefined;
      throw error;
    }
  }

  /** The next piece, which is lent; `undefined` at the end. */
  async #next(): Promise<Buffer | undefined> {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#hasEnded) return undefined;
    try {
      const { done, value } = await this.#pieces.next();
      this.#hasEnded = done === true;
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
      reader.evidence?.push(chunk);
    }
    for (const piece of this.#reader?.decoder.end() ?? []) yield piece;
    return undefined;
  }
}

/** The input error for the fault: the source is decoded again, and its lines are counted this time. */
async function findPlace(source: Source, reader: ContentReader, fault: TextFault): Promise<Error> {
  const encoding = encodingOf(reader);
  const check = reader.kind === "known" ? reader.check : undefined;
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
  /** If the encoding was detected from content and is not UTF-8: the first line that shows this, if it is known. */
  readonly foreignLine: number | undefined;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** The content in an encoding that is known. Throws an input error if the content contradicts it. */
async function confirmEncoding(
  source: Source,
  { encoding, evidence }: KnownReader,
  writer: ContentWriter,
): Promise<Content> {
  const content = writer.finish();
  const found = evidence?.finish();
  if (found !== undefined && found.excerpts.length > 0) {
    const { disproveEncoding, refuteEncoding } = await import("../text/weigh-encoding.ts");
    const better = disproveEncoding(encoding, found);
    if (better !== undefined) throw await refuteEncoding(source, encoding, better);
  }
  return { ...content, encoding, foreignLine: undefined, notices: [], pins: [] };
}

/** The content in the encoding that its bytes support, decoded again if the trial was wrong. Throws input errors. */
async function settleEncoding(
  source: Source,
  { decoder, evidence: collector }: TrialReader,
  writer: ContentWriter,
): Promise<Content> {
  const evidence = collector.finish();
  const findLine = (): Promise<number | undefined> => lineOf(source, decoder.foreignByte());
  // What only holds ASCII is UTF-8, and needs no odds of letters.
  const isPlainAscii = evidence.excerpts.length === 0;
  const encoding = isPlainAscii ? "utf-8" : await weigh(source, evidence, findLine);
  const content = decoder.encoding() === encoding ? writer.finish() : await decodeAgain(source, encoding);
  if (encoding === "utf-8")
    return { ...content, encoding, isPlainAscii, foreignLine: undefined, notices: [], pins: [] };
  const line = await findLine();
  const where = line === undefined ? "the file" : `line ${line}`;
  const because = evidence.isUtf8 ? `${where} makes no words in UTF-8` : `${where} is not UTF-8`;
  return {
    ...content,
    encoding,
    foreignLine: line,
    notices: [{ ...(line === undefined ? {} : { line }), text: `${because}: read as ${encoding}` }],
    pins: [{ what: "encoding", option: `--encoding ${encoding}`, because }],
  };
}

/** The encoding that the evidence supports. Throws an input error that asks for it. */
async function weigh(
  source: Source,
  evidence: Evidence,
  findLine: () => Promise<number | undefined>,
): Promise<string> {
  const { askForEncoding, judgeEncoding } = await import("../text/weigh-encoding.ts");
  const verdict = judgeEncoding(evidence);
  if (verdict.kind !== "certain") throw await askForEncoding(source, verdict, await findLine());
  return verdict.encoding;
}

/** The line of a byte of the source. */
async function lineOf(source: Source, byte: number | undefined): Promise<number | undefined> {
  if (byte === undefined) return undefined;
  const { readLineAt } = await import("../text/weigh-encoding.ts");
  return (await readLineAt(source, byte)).line;
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
  soFar(): { readonly sample: Buffer; readonly proof: BlockProof };
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
    soFar: () => ({ sample: Buffer.concat(sample), proof: proof.soFar }),
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
