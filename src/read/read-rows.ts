import { RecPushError } from "../model/failure.ts";
import type { RowChunk } from "../model/rows.ts";
import { readCsvRows } from "./csv/read-csv-rows.ts";
import type { Inspection } from "./inspect-source.ts";
import type { JsonRowsOptions } from "./json/json-rows.ts";
import { DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import { prove, sourceChanged } from "./source/block-proof.ts";
import type { Source } from "./source/source.ts";
import { decode } from "./text/decode.ts";

/**
 * Reads the rows of an inspected source from the beginning, as often as wanted and in constant memory. Takes the
 * options of the inspection. Throws an input error before it passes on anything that differs from what was inspected.
 */
export function readRows(
  source: Source,
  inspection: Inspection,
  options: ReadOptions,
): AsyncIterable<RowChunk> {
  const { reading, places } = inspection;
  const content = openContent(source, inspection);
  const { skipFooter = 0, shortRows = false, maxRowBytes = DEFAULT_MAX_ROW_BYTES } = options;
  const { file, format, dialect, columns } = reading;
  if (dialect !== undefined) {
    return readCsvRows(content, { file, dialect, columns, ...places, skipFooter, shortRows, maxRowBytes });
  }
  const { jsonPath } = reading;
  const path = jsonPath === undefined ? {} : { jsonPath };
  const { flatten, declared, dropped } = options;
  return readJson(content, format === "ndjson" ? format : "json", {
    file,
    maxRowBytes,
    flatten,
    declared,
    dropped,
    ...path,
  });
}

async function* readJson(
  content: AsyncIterable<Buffer>,
  format: "json" | "ndjson",
  options: JsonRowsOptions,
): AsyncGenerator<RowChunk> {
  const { readJsonRows } = await import("./json/read-json.ts");
  yield* readJsonRows(content, format, options);
}

/** The decoded content of an inspected source, proven block by block: UTF-8 without byte order mark. */
export function openContent(source: Source, inspection: Inspection): AsyncIterable<Buffer> {
  const { reading, proof } = inspection;
  return prove(readContent(source, reading.encoding), proof, reading.file);
}

/** If content can no longer be decompressed or decoded, it has changed, because the inspection did both. */
async function* readContent(source: Source, encoding: string): AsyncGenerator<Buffer> {
  try {
    yield* decode(() => source.open(), encoding, source.name);
  } catch (error) {
    throw error instanceof RecPushError ? sourceChanged(source.name, error) : error;
  }
}
