import { Readable } from "node:stream";
import { type Cell, FaultyCell, JsonNumber, type Row } from "../../../src/model/rows.ts";
import { type Inspection, inspectSource } from "../../../src/read/inspect-source.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { readRows } from "../../../src/read/read-rows.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";
import { type TestWorkbook, workbookOf } from "../../support/workbook.ts";

/** A workbook as it was read. */
export interface ReadBook {
  readonly inspection: Inspection;
  /** The number of each row, then its cells: texts as they are, others by {@link showValue}. */
  readonly rows: readonly (readonly unknown[])[];
}

/** So that the first row of words is the header, whatever is below it. */
const isWord = (cell: string): boolean => /^\p{L}/u.test(cell);

/** Reads a workbook, or the bytes of one, as a push would in which all names are declared. */
export async function readBook(
  book: TestWorkbook | Buffer,
  { isKnownHeader = isWord, ...more }: ReadOptions = {},
): Promise<ReadBook> {
  const options = { ...more, isKnownHeader };
  const path = await makeFile("orders.xlsx", Buffer.isBuffer(book) ? book : workbookOf(book));
  const source = await openSource(path, {
    stdin: () => Readable.from([]),
    spoolDirectory: await makeDirectory(),
  });
  try {
    const inspection = await inspectSource(source, options);
    const rows: unknown[][] = [];
    for await (const chunk of readRows(source, inspection, options)) {
      for (const row of chunk.unreadable) rows.push([row.line, { unreadable: row.reason }]);
      for (const row of chunk.rows) rows.push([row.line, ...cellsOf(row).map(showValue)]);
    }
    return { inspection, rows };
  } finally {
    await source.close();
  }
}

function cellsOf({ spans, firstCell, width }: Row): readonly Cell[] {
  return Array.from({ length: width }, (_, at) => spans.value(firstCell + at));
}

/** A number as `{ number }`, a faulty cell as `{ fault }` with its reason. */
function showValue(cell: Cell): unknown {
  if (cell instanceof JsonNumber) return { number: cell.source };
  return cell instanceof FaultyCell ? { fault: cell.reason } : cell;
}
