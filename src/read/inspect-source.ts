import type { InputFormat, Notice, Pin, Reading } from "../model/reading.ts";
import { isRejectColumn } from "../model/reject-columns.ts";
import { refuseBinaryContent, refuseNulBytes } from "./text/binary-content.ts";
import { createProofWriter, fingerprintOf, type BlockProof } from "./source/block-proof.ts";
import { joinHead, readByteOrderMark } from "./text/byte-order-mark.ts";
import { createDecoder, type Decoder } from "./text/decode.ts";
import { createDetectingDecoder } from "./text/detect-encoding.ts";
import { inputError } from "./input-error.ts";
import { detectJson } from "./json/json-detect.ts";
import { MemberJudge } from "./json/member-judge.ts";
import type { Source } from "./source/source.ts";
import { checkReadOptions, DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import { settleCsv, type SettledCsv } from "./csv/settle-csv.ts";
import { createTextCheck } from "./text/text-check.ts";

/** How a source is read, and the proof of what it held. */
export interface Inspection {
  readonly reading: Reading;
  readonly proof: BlockProof;
  /** CSV: empty cells that every row has behind its columns. */
  readonly surplus: number;
  /** CSV: positions, from 0, of the columns that hold numbers or dates. */
  readonly numericColumns: readonly number[];
  /** CSV: where rows begin that csv-parse reads otherwise, in bytes of the content. */
  readonly disputed: readonly number[];
}

/** What the one pass over the bytes brings. */
interface Content {
  readonly encoding: string;
  /** The first MiB, decoded. */
  readonly sample: Buffer;
  readonly proof: BlockProof;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

const SAMPLE_BYTES = 1_048_576;
/** As many bytes say what kind of content it is, however the input is cut. */
const HEAD_BYTES = 4096;

/** Reads the source once, to its end. Throws usage and input errors. */
export async function inspectSource(source: Source, options: ReadOptions): Promise<Inspection> {
  checkReadOptions(options);
  const content = await readContent(source, options.encoding);
  const format = options.format ?? detectJson(content.sample, new MemberJudge(options.declared)) ?? "csv";
  if (format !== "csv" && options.encoding === undefined && content.encoding === "windows-1252") {
    throw inputError(
      { file: source.name, ...placeOfForeignByte(content) },
      "json-not-utf-8",
      "JSON must be UTF-8, or UTF-16 with a byte order mark, and this line is neither",
      { hint: "export the file again as UTF-8, or name its encoding: --encoding windows-1252" },
    );
  }
  const csv = format === "csv" ? settleCsv(toCsvSample(source, content, options), options) : undefined;
  return {
    reading: toReading(source, format, content, csv, options),
    proof: content.proof,
    surplus: csv?.surplus ?? 0,
    numericColumns: csv?.numericColumns ?? [],
    disputed: csv?.disputed ?? [],
  };
}

async function readContent(source: Source, pinned: string | undefined): Promise<Content> {
  const file = source.name;
  const proof = createProofWriter();
  const sample: Buffer[] = [];
  let sampleBytes = 0;
  let hasContent = false;
  let reader: EncodingReader | undefined;

  function take(pieces: Iterable<Buffer>): void {
    for (const piece of pieces) {
      proof.add(piece);
      hasContent ||= piece.some((byte) => byte > 0x20);
      if (sampleBytes < SAMPLE_BYTES) {
        sample.push(piece.subarray(0, SAMPLE_BYTES - sampleBytes));
        sampleBytes += piece.length;
      }
    }
  }

  for await (const chunk of joinHead(source.open(), HEAD_BYTES)) {
    if (reader === undefined) {
      reader = beginReading(chunk.subarray(0, HEAD_BYTES), pinned, file);
      take(reader.decoder.push(chunk.subarray(reader.markBytes)));
    } else {
      take(reader.decoder.push(chunk));
    }
  }
  take(reader?.decoder.end() ?? []);
  if (reader === undefined || !hasContent) {
    throw inputError({ file }, "empty", "the file holds nothing but blank lines", {
      hint: "export it again, or leave it out",
    });
  }
  return {
    encoding: reader.encoding(),
    sample: Buffer.concat(sample),
    proof: proof.finish(),
    notices: reader.notices,
    pins: reader.pins,
  };
}

interface EncodingReader {
  readonly decoder: Decoder;
  readonly markBytes: number;
  readonly encoding: () => string;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

function beginReading(head: Buffer, pinned: string | undefined, file: string): EncodingReader {
  const mark = readByteOrderMark(head);
  refuseBinaryContent(head, file);
  if (mark !== undefined && pinned !== undefined && pinned !== mark.encoding) {
    throw inputError(
      { file },
      "contradicting-mark",
      `a byte order mark says ${mark.encoding}, --encoding says ${pinned}`,
      {
        hint: `leave --encoding out, or --encoding ${mark.encoding}`,
      },
    );
  }
  const known = pinned ?? mark?.encoding;
  if (known === undefined || !/^utf-(16|32)/.test(known)) refuseNulBytes(head, file);
  if (known !== undefined) {
    // Who names UTF-8 takes its characters as they are; a mark alone is no such decision.
    const allowsC1 = pinned === "utf-8";
    const decoder = createDecoder(
      known,
      file,
      createTextCheck(file, () => known, { allowsC1 }),
    );
    return { decoder, markBytes: mark?.bytes ?? 0, encoding: () => known, notices: [], pins: [] };
  }
  const decoder = createDetectingDecoder(file);
  const { encoding, notices, pins } = decoder;
  return { decoder, markBytes: 0, encoding, notices, pins };
}

function toCsvSample(
  source: Source,
  { sample, proof }: Content,
  options: ReadOptions,
): Parameters<typeof settleCsv>[0] {
  return {
    file: source.name,
    bytes: sample,
    isWhole: proof.totalBytes <= SAMPLE_BYTES,
    skipLines: options.skipLines ?? 0,
    skipFooter: options.skipFooter ?? 0,
    comment: options.comment ?? "",
    maxRowBytes: options.maxRowBytes ?? DEFAULT_MAX_ROW_BYTES,
  };
}

function toReading(
  source: Source,
  format: InputFormat,
  content: Content,
  csv: SettledCsv | undefined,
  options: ReadOptions,
): Reading {
  return {
    file: source.name,
    format,
    encoding: content.encoding,
    ...(csv === undefined ? {} : { dialect: csv.dialect }),
    ...(options.jsonPath === undefined || holdsRejects(content.sample) ? {} : { jsonPath: options.jsonPath }),
    columns: csv?.columns ?? [],
    headerless: csv?.headerless ?? false,
    fingerprint: fingerprintOf(content.proof),
    bytes: source.bytes,
    notices: [...content.notices, ...(csv?.notices ?? [])],
    pins: [...content.pins, ...(csv?.pins ?? [])],
  };
}

/** A rejects file holds the records themselves, wherever they were in the file that was pushed. */
function holdsRejects(sample: Buffer): boolean {
  const name = /^\s*\{\s*"([^"]*)"/.exec(sample.toString("latin1", 0, HEAD_BYTES))?.[1];
  return name !== undefined && isRejectColumn(name);
}

/** Where the first byte is that no UTF-8 has; the sample may end before its line. */
function placeOfForeignByte({ notices, sample }: Content): { line?: number; column?: number } {
  const line = notices[0]?.line;
  if (line === undefined) return {};
  const text = sample.toString().split(/\r\n|\n|\r/)[line - 1] ?? "";
  const at = Array.from(text).findIndex((character) => character > "\u007f");
  return at === -1 ? { line } : { line, column: at + 1 };
}
