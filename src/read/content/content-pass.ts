import { cutIntoPieces, sourceChanged, type BlockProof } from "../source/block-proof.ts";
import type { Source } from "../source/source.ts";
import { joinHead } from "../text/byte-order-mark.ts";
import { decode } from "../text/decode.ts";
import { TextFault } from "../text/text-check.ts";
import {
  beginReading,
  encodingOf,
  HEAD_BYTES,
  type ContentReader,
  type EncodingOptions,
} from "./content-reader.ts";
import { createContentWriter, noContent, SAMPLE_BYTES, type ContentWriter } from "./content-writer.ts";
import { confirmEncoding, settleEncoding, type Content } from "./settle-encoding.ts";

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
