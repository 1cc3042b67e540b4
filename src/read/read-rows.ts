import { RecPushError } from "../model/failure.ts";
import type { RowChunk } from "../model/rows.ts";
import type { InputFormat } from "../model/reading.ts";
import { readCsvRows } from "./csv/read-csv-rows.ts";
import type { Inspection, InspectionSoFar } from "./inspect-source.ts";
import type { JsonRowsOptions } from "./json/json-rows.ts";
import { DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import type { Slice } from "./slice.ts";
import { prove, sourceChanged } from "./source/block-proof.ts";
import type { Source } from "./source/source.ts";
import { decode, joinHead, readByteOrderMark } from "./text/decode.ts";

/**
 * Reads the rows of an inspected source from the beginning, as often as wanted and in constant memory. Takes the
 * options of the inspection. Throws an input error before it passes on anything that differs from what was inspected. With a
 * slice only its rows are read, of a source for which {@link canSlice} is true.
 */
export function readRows(
  source: Source,
  inspection: Inspection,
  options: ReadOptions,
  slice?: Slice,
): AsyncIterable<RowChunk> {
  return rowsOf(openContent(source, inspection, slice), inspection, options, slice);
}

/** The rows of content that was decoded. */
export function rowsOf(
  content: AsyncIterable<Buffer>,
  { reading, surplus }: InspectionSoFar,
  options: ReadOptions,
  slice?: Slice,
): AsyncIterable<RowChunk> {
  const { skipFooter = 0, maxRowBytes = DEFAULT_MAX_ROW_BYTES } = options;
  const { file, format, dialect, columns } = reading;
  if (dialect !== undefined) {
    return readCsvRows(content, { file, dialect, columns, surplus, skipFooter, maxRowBytes, slice });
  }
  const { jsonPath } = reading;
  const path = jsonPath === undefined ? {} : { jsonPath };
  const { flatten, declared, dropped } = options;
  return readJson(content, format, { file, maxRowBytes, flatten, declared, dropped, ...path });
}

async function* readJson(
  content: AsyncIterable<Buffer>,
  format: InputFormat,
  options: JsonRowsOptions,
): AsyncGenerator<RowChunk> {
  const { readJsonRows, readNdjsonRows } = await import("./json/read-json.ts");
  yield* (format === "ndjson" ? readNdjsonRows : readJsonRows)(content, options);
}

/** True if the rows of an inspected source may be read in slices, without what is before them. */
export function canSlice({ openAt }: Source, { reading }: Inspection): boolean {
  return openAt !== undefined && reading.encoding === "utf-8" && reading.format === "csv";
}

/** The decoded content of an inspected source, proven block by block: UTF-8 without byte order mark. */
export function openContent(source: Source, inspection: Inspection, slice?: Slice): AsyncIterable<Buffer> {
  const { reading, proof } = inspection;
  if (slice !== undefined) return readSlice(source, inspection, slice);
  return prove(readContent(source, reading.encoding), proof, reading.file);
}

/** The bytes of a slice; the blocks in which it begins and ends are proven whole. */
async function* readSlice(
  source: Source,
  { reading, proof }: Inspection,
  { from, to }: Slice,
): AsyncGenerator<Buffer> {
  if (from >= to) return;
  const { blockBytes } = proof;
  const first = Math.floor(from / blockBytes);
  let at = first * blockBytes;
  const stored = source.openAt!((await markBytes(source)) + at);
  for await (const piece of prove(stored, proof, reading.file, { first, to })) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += piece.length;
    if (part.length > 0) yield part;
  }
}

async function markBytes(source: Source): Promise<number> {
  for await (const chunk of joinHead(source.open(), 4)) return readByteOrderMark(chunk)?.bytes ?? 0;
  return 0;
}

/** If content can no longer be decompressed or decoded, it has changed, because the inspection did both. */
async function* readContent(source: Source, encoding: string): AsyncGenerator<Buffer> {
  try {
    if (encoding === "utf-8") {
      yield* withoutMark(source.open());
    } else {
      yield* decode(source.open(), encoding, source.name);
    }
  } catch (error) {
    throw error instanceof RecPushError ? sourceChanged(source.name, error) : error;
  }
}

/** UTF-8 needs no second check: the proof compares every byte. */
async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of joinHead(chunks, 4)) {
    yield isFirst ? chunk.subarray(readByteOrderMark(chunk)?.bytes ?? 0) : chunk;
    isFirst = false;
  }
}
