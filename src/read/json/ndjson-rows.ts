import type { RowChunk } from "../../model/problem-groups.ts";
import { JsonWindow } from "./json-fault.ts";
import { JsonPlaces } from "./json-places.ts";
import { JsonRowList, streamRows } from "./json-row-stream.ts";
import type { JsonRowsOptions } from "./json-rows.ts";
import { JsonScanner } from "./json-scan.ts";
import { MemberJudge } from "./member-judge.ts";

/**
 * Reads the rows of an NDJSON file (UTF-8 without BOM), one object after the other; blank lines are skipped, and an
 * object may take several lines. With a path, each object holds its rows at that path. Broken JSON throws an input
 * error with line and column, as in a JSON array: nothing after a broken line can be read with certainty.
 */
export function readNdjsonRows(
  chunks: AsyncIterable<Buffer>,
  options: JsonRowsOptions,
): AsyncIterable<RowChunk> {
  const scanner = new JsonScanner(new JsonWindow(options.file), true);
  const list = new JsonRowList(scanner, options);
  const { jsonPath, maxRowBytes } = options;
  if (jsonPath === undefined) list.begin(0, () => {});
  else
    scanner.listener = new JsonPlaces(scanner, list, {
      judge: new MemberJudge(options.declared),
      maxRowBytes,
      jsonPath,
    });
  return streamRows(chunks, scanner, list);
}
