import { RecPushError } from "../model/failure.ts";
import type { RowChunk } from "../model/row.ts";
import { prove, sourceChanged } from "./source/block-proof.ts";
import { joinHead, readByteOrderMark } from "./text/byte-order-mark.ts";
import { decode } from "./text/decode.ts";
import type { Inspection } from "./inspect-source.ts";
import { readJsonRows } from "./json/json-rows.ts";
import { readNdjsonRows } from "./json/ndjson-rows.ts";
import type { Source } from "./source/source.ts";
import { readCsvRows } from "./csv/read-csv-rows.ts";
import { DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";

/**
 * Reads the rows of an inspected source from the beginning, as often as wanted and in constant memory. Takes the
 * options of the inspection. Throws an input error before it passes on anything that differs from what was inspected.
 */
export function readRows(
  source: Source,
  inspection: Inspection,
  options: ReadOptions,
): AsyncIterable<RowChunk> {
  const { skipFooter = 0, oneTable, maxRowBytes = DEFAULT_MAX_ROW_BYTES } = options;
  const { reading, surplus, numericColumns, disputed } = inspection;
  const { file, format, dialect, columns } = reading;
  const content = openContent(source, inspection);
  if (dialect !== undefined) {
    // Without them, no row can be recognised as the header of another table.
    const telling = oneTable === true ? [] : numericColumns;
    const places = { surplus, numericColumns: telling, disputed };
    return readCsvRows(content, { file, dialect, columns, ...places, skipFooter, maxRowBytes });
  }
  const { jsonPath } = reading;
  const path = jsonPath === undefined ? {} : { jsonPath };
  const { flatten, declared, dropped } = options;
  const read = format === "ndjson" ? readNdjsonRows : readJsonRows;
  return read(content, { file, maxRowBytes, flatten, declared, dropped, ...path });
}

/** The decoded content of an inspected source, proven block by block: UTF-8 without byte order mark. */
export function openContent(source: Source, { reading, proof }: Inspection): AsyncIterable<Buffer> {
  return prove(readContent(source, reading.encoding), proof, reading.file);
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
