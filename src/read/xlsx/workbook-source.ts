import { inputError } from "../input-error.ts";
import { CopyBounds } from "../source/copy-bounds.ts";
import { readFrom } from "../source/read-from.ts";
import type { SheetRead, SheetWanted, Source } from "../source/source.ts";
import { spool, type Spool } from "../source/spool.ts";
import type { ZipEntry, ZipFile } from "../zip/zip-entry.ts";
import { chooseSheet } from "./choose-sheet.ts";
import { loadStrings } from "./load-strings.ts";
import { SheetReading, type SheetFacts, type SheetLayout } from "./read-sheet.ts";
import { readWorkbook, type SheetPart, type Workbook } from "./workbook.ts";

/** Where the rows of a sheet are kept, and what ends the reading. */
export interface WorkbookContext {
  readonly spoolDirectory: string;
  readonly maxInputBytes?: number | undefined;
  readonly stop?: AbortSignal | undefined;
}

interface ReadSheet extends SheetRead {
  readonly rows: Spool;
}

/**
 * The source of an `.xlsx` workbook. Its sheet is read once, into a private file of lines that the CSV reader takes: every
 * pass over the rows reads that. Closing it leaves the workbook's own file open.
 */
export function workbookSource(zip: ZipFile, entries: readonly ZipEntry[], context: WorkbookContext): Source {
  let reading: Promise<ReadSheet> | undefined;
  let read: ReadSheet | undefined;
  return {
    name: zip.name,
    bytes: zip.bytes,
    isPacked: true,
    get fd() {
      return read?.rows.handle.fd;
    },
    async readSheet(wanted) {
      reading ??= readWorkbookSheet(zip, entries, wanted, context);
      read = await reading;
      return read;
    },
    async *open() {
      if (read === undefined) throw new Error(`no sheet of ${zip.name} has been read`);
      yield* readFrom(read.rows.handle.fd, zip.name, { lends: true });
    },
    async close() {
      await (await reading?.catch(() => undefined))?.rows.remove();
    },
  };
}

async function readWorkbookSheet(
  zip: ZipFile,
  entries: readonly ZipEntry[],
  wanted: SheetWanted,
  context: WorkbookContext,
): Promise<ReadSheet> {
  const { sheet: named, maxRowBytes } = wanted;
  const workbook = await readWorkbook(zip, entries);
  const { sheet, others, notices, pins } = await chooseSheet(workbook, named, maxRowBytes);
  const strings = await loadStrings(workbook, context.spoolDirectory);
  try {
    const layout = { strings, width: 0, merged: [], maxRowBytes };
    let { rows, facts } = await keepRows(workbook, sheet, layout, context);
    // Merged cells come after the rows in the file, and a wider row after narrower ones.
    if (facts.isRagged || facts.merged.length > 0) {
      await rows.remove();
      ({ rows, facts } = await keepRows(workbook, sheet, { ...layout, ...facts }, context));
    }
    if (rows.bytes === 0) {
      await rows.remove();
      throw inputError({ file: zip.name }, "empty", `the sheet ${sheet.name} is empty`, {
        hint: "name another one with --sheet, or leave the file out",
      });
    }
    return { name: sheet.name, others, notices: [...notices, ...facts.notes.notices], pins, rows };
  } finally {
    await strings.close();
  }
}

async function keepRows(
  workbook: Workbook,
  sheet: SheetPart,
  layout: SheetLayout,
  { spoolDirectory, maxInputBytes }: WorkbookContext,
): Promise<{ rows: Spool; facts: SheetFacts }> {
  const reading = new SheetReading(workbook, sheet, layout);
  const bounds = new CopyBounds(workbook.zip.name, spoolDirectory, maxInputBytes);
  const rows = await spool(reading.lines(), spoolDirectory, bounds);
  return { rows, facts: reading.facts };
}
