import type { RecPushError } from "../../model/failure.ts";
import type { RowChunk } from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import { JsonWindow } from "./json-fault.ts";
import { JsonPlaces } from "./json-places.ts";
import { JsonRowList, streamRows } from "./json-row-stream.ts";
import { describeScalar, type JsonListener, JsonScanner } from "./json-scan.ts";
import { MemberJudge } from "./member-judge.ts";

/** How to read one JSON file. */
export interface JsonRowsOptions {
  /** The name of the file, for messages. */
  readonly file: string;
  /** Limit for a row, from its `{` to its `}`. */
  readonly maxRowBytes: number;
  /** Names that lead to the array of rows if the top level is an object, joined by dots: `result.items`. */
  readonly jsonPath?: string;
  /** See {@link ReadOptions.declared}. */
  readonly declared?: readonly string[] | undefined;
  /** See {@link ReadOptions.dropped}. */
  readonly dropped?: readonly string[] | undefined;
  /** See {@link ReadOptions.flatten}. */
  readonly flatten?: readonly string[] | undefined;
}

/** Passes the top level to the listener that fits it. */
function dispatch(scanner: JsonScanner, list: JsonRowList, options: JsonRowsOptions): JsonListener {
  const { jsonPath, dropped } = options;
  const failShape = (what: string): RecPushError =>
    inputError(
      scanner.window.placeOf(scanner.valueAt),
      "json-not-records",
      `the file is ${what}; it should be an array of objects, or an object that holds one`,
      { hint: "export the rows as objects, or as CSV" },
    );
  return {
    open(isObject) {
      if (!isObject && jsonPath !== undefined) {
        throw inputError(
          scanner.window.linePlace,
          "json-path",
          `nothing at --json-path ${jsonPath}: the file is an array`,
          { hint: "leave the option out" },
        );
      }
      if (!isObject) {
        list.begin(1, () => {});
        return;
      }
      const judge = new MemberJudge(options.declared);
      scanner.listener = new JsonPlaces(scanner, list, { judge, jsonPath, dropped });
      scanner.listener.open(true);
    },
    close: () => false,
    name() {},
    scalar(type) {
      throw failShape(describeScalar(type));
    },
  };
}

/**
 * Reads the rows of a JSON file (UTF-8 without BOM): a top-level array of objects, or an object that holds one array of
 * objects. Rows come in file order, numbers keep their source text, absent members are
 * `undefined`. Broken JSON throws an input error with line and column (RFC 8259, without extensions, 512 levels).
 */
export function readJsonRows(
  chunks: AsyncIterable<Buffer>,
  options: JsonRowsOptions,
): AsyncIterable<RowChunk> {
  const scanner = new JsonScanner(new JsonWindow(options.file), false);
  const list = new JsonRowList(scanner, options);
  scanner.listener = dispatch(scanner, list, options);
  return streamRows(chunks, scanner, list);
}

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
  const { jsonPath } = options;
  if (jsonPath === undefined) list.begin(0, () => {});
  else
    scanner.listener = new JsonPlaces(scanner, list, {
      judge: new MemberJudge(options.declared),
      jsonPath,
    });
  return streamRows(chunks, scanner, list);
}
