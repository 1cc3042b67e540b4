import type { Notice, Pin } from "../model/reading.ts";
import type { RecPushError } from "../model/failure.ts";
import { inputError } from "./input-error.ts";
import type { ReadOptions } from "./read-options.ts";
import { createProofWriter, sourceChanged, type BlockProof } from "./source/block-proof.ts";
import type { Source } from "./source/source.ts";
import { refuseBinaryContent, refuseNulBytes } from "./text/binary-content.ts";
import { joinHead, readByteOrderMark } from "./text/byte-order-mark.ts";
import { createDecoder, decode, type Decoder } from "./text/decode.ts";
import { createTrialDecoder, type TrialDecoder } from "./text/detect-encoding.ts";
import { createEvidenceCollector, type Evidence, type EvidenceCollector } from "./text/evidence.ts";
import { createTextCheck, TextFault, type TextCheck } from "./text/text-check.ts";

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

interface Decoded {
  /** The first MiB, decoded. */
  readonly sample: Buffer;
  readonly proof: BlockProof;
}

export const SAMPLE_BYTES = 1_048_576;
/** This many bytes decide what kind of content it is, however the input is cut. */
export const HEAD_BYTES = 4096;

/** Reads the source to its end; twice if its encoding is neither UTF-8 nor windows-1252. Throws input errors. */
export async function readContent(
  source: Source,
  options: Pick<ReadOptions, "encoding" | "configured">,
): Promise<Content> {
  const writer = createContentWriter(source.name);
  let reader: ContentReader | undefined;
  try {
    for await (const chunk of joinHead(source.open(), HEAD_BYTES)) {
      const isFirst = reader === undefined;
      reader ??= beginReading(chunk.subarray(0, HEAD_BYTES), options, source.name);
      writer.take(reader.decoder.push(isFirst ? chunk.subarray(reader.markBytes) : chunk));
      reader.evidence?.push(chunk);
    }
    if (reader === undefined) throw noContent(source.name);
    writer.take(reader.decoder.end());
  } catch (error) {
    throw error instanceof TextFault ? await findPlace(source, reader!, error) : error;
  }
  return reader.kind === "trial"
    ? settleEncoding(source, reader, writer)
    : confirmEncoding(source, reader, writer);
}

/** The input error for the fault: the source is decoded again, and its lines are counted this time. */
async function findPlace(source: Source, reader: ContentReader, fault: TextFault): Promise<Error> {
  const encoding = reader.kind === "known" ? reader.encoding : (reader.decoder.encoding() ?? "utf-8");
  const check = reader.kind === "known" ? reader.check : undefined;
  try {
    for await (const _ of decode(source.open(), encoding, source.name, check));
  } catch (error) {
    return error as Error;
  }
  return sourceChanged(source.name, fault);
}

/** Reads content whose encoding is known from a byte order mark, named, or tried. */
type ContentReader = KnownReader | TrialReader;

interface KnownReader {
  readonly kind: "known";
  readonly encoding: string;
  readonly decoder: Decoder;
  readonly check: TextCheck;
  readonly markBytes: number;
  /** Set if the encoding was named and the content may contradict it. */
  readonly evidence: EvidenceCollector | undefined;
}

interface TrialReader {
  readonly kind: "trial";
  readonly decoder: TrialDecoder;
  readonly markBytes: 0;
  readonly evidence: EvidenceCollector;
}

function beginReading(
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
    const decoder = createTrialDecoder(file);
    const evidence = createEvidenceCollector({ push: decoder.isUtf8, end: decoder.isUtf8 });
    return { kind: "trial", decoder, markBytes: 0, evidence };
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
    evidence: isCertain ? undefined : createEvidenceCollector(),
  };
}

async function confirmEncoding(
  source: Source,
  { encoding, evidence }: KnownReader,
  writer: ContentWriter,
): Promise<Content> {
  const content = writer.finish();
  const found = evidence?.finish();
  if (found !== undefined && found.excerpts.length > 0) {
    const { disproveEncoding, refuteEncoding } = await import("./text/weigh-encoding.ts");
    const better = disproveEncoding(encoding, found);
    if (better !== undefined) throw await refuteEncoding(source, encoding, better);
  }
  return { ...content, encoding, foreignLine: undefined, notices: [], pins: [] };
}

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
  const { askForEncoding, judgeEncoding } = await import("./text/weigh-encoding.ts");
  const verdict = judgeEncoding(evidence);
  if (verdict.kind !== "certain") throw await askForEncoding(source, verdict, await findLine());
  return verdict.encoding;
}

/** The line of a byte of the source. */
async function lineOf(source: Source, byte: number | undefined): Promise<number | undefined> {
  if (byte === undefined) return undefined;
  const { readLineAt } = await import("./text/weigh-encoding.ts");
  return (await readLineAt(source, byte)).line;
}

async function decodeAgain(source: Source, encoding: string): Promise<Decoded> {
  const writer = createContentWriter(source.name);
  for await (const piece of decode(source.open(), encoding, source.name)) writer.take([piece]);
  return writer.finish();
}

interface ContentWriter {
  take(pieces: Iterable<Buffer>): void;
  /** Throws an input error if there is nothing but white space. */
  finish(): Decoded;
}

function createContentWriter(file: string): ContentWriter {
  const proof = createProofWriter();
  const sample: Buffer[] = [];
  let sampleBytes = 0;
  let hasContent = false;
  return {
    take(pieces) {
      for (const piece of pieces) {
        proof.add(piece);
        hasContent ||= piece.some((byte) => byte > 0x20);
        if (sampleBytes < SAMPLE_BYTES) {
          sample.push(Buffer.from(piece.subarray(0, SAMPLE_BYTES - sampleBytes)));
          sampleBytes += piece.length;
        }
      }
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

/** The input error for a byte order mark that contradicts the encoding given on the command line or in a config. */
function contradicted(file: string, marked: string, named: string, isConfigured: boolean): RecPushError {
  const by = isConfigured ? "the config" : "--encoding";
  return inputError({ file }, "contradicting-mark", `a byte order mark says ${marked}, ${by} says ${named}`, {
    hint: isConfigured
      ? `add --encoding ${marked}, which counts before the config, or change "encoding" in the config`
      : `leave --encoding out, or --encoding ${marked}`,
  });
}
