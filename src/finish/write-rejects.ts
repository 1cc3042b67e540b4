import { interruption } from "../model/interruption.ts";
import { mendedDecimal } from "../model/decimal-of.ts";
import { markerColumns, type RowsKind } from "../model/marker-columns.ts";
import { ContentCursor } from "../read/text/content-cursor.ts";
import { createEncoder, readMark } from "../read/text/encode.ts";
import { openContent } from "../read/read-rows.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { CsvRejects } from "./csv-rejects.ts";
import { JsonRejects } from "./json-rejects.ts";
import type { AddedCells, RejectsFormat } from "./rejects-format.ts";
import { SheetRejects } from "./sheet-rejects.ts";
import type { Verdict } from "./verdict-log.ts";

/** A file of rows that is complete, but not yet in its place. */
export interface CompleteFile {
  readonly kind: RowsKind;
  readonly sha256: string;
  readonly rows: number;
}

/** A file of rows in its place; a file without rows is not made. */
export interface RowsFile {
  readonly path: string;
  readonly rows: number;
}

/** Where rows go, and what is written before each. */
export interface RowsTarget {
  readonly kind: RowsKind;
  /** One cell for each of the columns that the kind adds. */
  readonly cellsOf: (verdict: Verdict) => AddedCells;
  /** Where the file is written before it is moved to its place. */
  readonly draft: string;
  /** Called with the file before it is moved to its place; returns its path, in the same directory. */
  readonly place: (file: CompleteFile) => Promise<string>;
  /** An interruption is thrown once it is set. */
  readonly abort: AbortSignal;
}

/**
 * Writes rows of one input in a single pass over its content: in its own format and encoding, the text copied
 * unchanged. Returns `undefined` if there are none.
 */
export async function writeRejects(
  input: SurveyedInput,
  verdicts: AsyncIterable<readonly Verdict[]>,
  { kind, cellsOf, draft, place, abort }: RowsTarget,
): Promise<RowsFile | undefined> {
  const { source, inspection } = input;
  const { reading } = inspection;
  const format = await rejectsFormat(input);
  const cursor = new ContentCursor(openContent(source, inspection));
  const encoder = createEncoder(reading.encoding);
  const mark = await readMark(source);
  const head = Buffer.concat([mark, encoder.encode(await format.head(cursor, markerColumns(kind)))]);
  const file = new PrivateFile(draft, "rejects");
  let rows = 0;
  try {
    for await (const block of verdicts) {
      for (const verdict of block) {
        if (abort.aborted) throw interruption();
        if (rows++ === 0) await file.write(head);
        for await (const piece of format.row(cursor.bytes(verdict.start, verdict.end), cellsOf(verdict)))
          await file.write(encoder.encode(piece));
      }
    }
    return rows === 0
      ? undefined
      : { path: await file.commit((sha256) => place({ kind, sha256, rows })), rows };
  } finally {
    await file.discard();
    await cursor.close();
  }
}

async function rejectsFormat({
  inspection: { reading },
  plan,
  report,
}: SurveyedInput): Promise<RejectsFormat> {
  if (reading.format === "xlsx") return new SheetRejects(reading, plan, mendedDecimal(report));
  if (reading.format === "csv") return new CsvRejects(reading);
  // What read the input is loaded already.
  const { splitMembers } = await import("../read/json/read-json.ts");
  return new JsonRejects(splitMembers);
}
