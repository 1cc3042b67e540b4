import type { RowChunk } from "../../model/row.ts";
import { streamRows } from "./json-row-stream.ts";
import { JsonRowList } from "./json-row-list.ts";
import { JsonScanner } from "./json-scan.ts";
import { JsonWindow } from "./json-window.ts";

/** How to read one NDJSON file: `file` is for messages, `maxRowBytes` counts from the row's `{` to its `}`. */
export interface NdjsonRowsOptions {
  readonly file: string;
  readonly maxRowBytes: number;
}

/**
 * Reads the rows of an NDJSON file (UTF-8 without BOM), one object after the other; blank lines are skipped, and an
 * object may take several lines. Broken JSON throws an input error with line and column, as in a JSON array: what
 * follows a broken line cannot be told for certain.
 */
export function readNdjsonRows(
  chunks: AsyncIterable<Buffer>,
  options: NdjsonRowsOptions,
): AsyncIterable<RowChunk> {
  const scanner = new JsonScanner(new JsonWindow(options.file), true);
  const list = new JsonRowList(scanner, options.maxRowBytes);
  list.begin(0, () => {});
  return streamRows(chunks, scanner, list);
}
