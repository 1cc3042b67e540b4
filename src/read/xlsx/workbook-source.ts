import { showCount } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { Notice, Pin } from "../../model/reading.ts";
import { quoteText, quoteWord } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import { readFrom } from "../source/read-from.ts";
import type { SheetRead, SheetWanted, Source, StoredFile } from "../source/source.ts";
import { spool } from "../source/spool.ts";
import { openEntry, type ZipEntry, type ZipFile } from "../zip/zip-directory.ts";
import { type RowsContext, type SheetFacts, SheetReading, spellText } from "./read-sheet.ts";
import { readWorkbook, type SheetPart, type Workbook } from "./workbook.ts";
import { XmlReader } from "./xml-reader.ts";

/** Where the rows of a sheet are kept, and the signal that ends the reading. */
export interface WorkbookContext {
  readonly spoolDirectory: string;
  readonly maxInputBytes?: number | undefined;
  readonly stop?: AbortSignal | undefined;
}

interface ReadSheet extends SheetRead {
  readonly rows: Required<StoredFile>;
}

/**
 * The source of an `.xlsx` workbook. Its sheet is read once, into a private file of lines that the CSV reader takes: every
 * pass over the rows reads that. `file`: the one that the workbook is in, as it is stored.
 */
export function workbookSource(
  zip: ZipFile,
  entries: readonly ZipEntry[],
  context: WorkbookContext,
  { bytes, keep, close }: StoredFile,
): Source {
  let reading: Promise<ReadSheet> | undefined;
  let read: ReadSheet | undefined;
  return {
    name: zip.name,
    bytes,
    isPacked: true,
    ...(keep === undefined ? {} : { keep }),
    get fd() {
      return read?.rows.fd;
    },
    async readSheet(wanted) {
      reading ??= readWorkbookSheet(zip, entries, wanted, context);
      read = await reading;
      return read;
    },
    async *open() {
      if (read === undefined) throw new Error(`no sheet of ${zip.name} has been read`);
      yield* readFrom(read.rows.fd, zip.name, { lends: true });
    },
    async close() {
      await (await reading?.catch(() => undefined))?.rows.close();
      await close?.();
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
  const strings = await loadStrings(workbook);
  const known = { strings, merged: new Map<number, number[]>(), maxRowBytes };
  const { sheet, others } =
    named === undefined
      ? await chooseSheet(workbook, known)
      : { sheet: findSheet(workbook, named), others: [] };
  let { rows, facts } = await keepRows(workbook, sheet, known, context);
  // Merged cells come after the rows in the file.
  if (facts.merged.size > 0) {
    await rows.close();
    ({ rows, facts } = await keepRows(workbook, sheet, { ...known, merged: facts.merged }, context));
  }
  if (rows.bytes === 0) {
    await rows.close();
    throw inputError({ file: zip.name }, "empty", `the sheet ${sheet.name} is empty`, {
      hint: "name another one with --sheet, or leave the file out",
    });
  }
  const { width } = facts;
  return {
    name: sheet.name,
    width,
    others,
    notices: notesOf(facts, others),
    pins: pinsOf(sheet, others),
    rows,
  };
}

async function keepRows(
  workbook: Workbook,
  sheet: SheetPart,
  known: RowsContext,
  { spoolDirectory, maxInputBytes }: WorkbookContext,
): Promise<{ rows: Required<StoredFile>; facts: SheetFacts }> {
  const reading = new SheetReading(workbook, sheet, known);
  const rows = await spool(reading.lines(), { name: workbook.zip.name, spoolDirectory, maxInputBytes });
  return { rows, facts: reading.facts };
}

/** The texts that cells share stay in memory: a million names take two thirds of this. */
const MOST_TEXT_BYTES = 64 * 1024 ** 2;
/** A text takes so much beside its characters. */
const TEXT_BYTES = 24;

/** Reads the texts that cells share, once. Throws an input error if they are too many. */
async function loadStrings({ zip, sharedStrings }: Workbook): Promise<readonly string[]> {
  const strings: string[] = [];
  let bytes = 0;
  if (sharedStrings === undefined) return strings;
  const xml = new XmlReader(zip.name, sharedStrings.name);
  let text = "";
  for await (const piece of openEntry(zip, sharedStrings)) {
    xml.feed(piece);
    while (xml.next()) {
      if (xml.name === "t" && !xml.isOpening) text += xml.text;
      if (xml.name !== "si" || xml.isOpening) continue;
      // A text of its own: a part of another would keep that one in memory.
      strings.push(Buffer.from(spellText(text)).toString());
      bytes += TEXT_BYTES + text.length;
      text = "";
    }
    if (bytes + text.length > MOST_TEXT_BYTES)
      throw inputError({ file: zip.name }, "too-long", "the texts of the workbook are longer than 64 MiB", {
        hint: "save the sheet as CSV (UTF-8) and push that",
      });
  }
  xml.end();
  return strings;
}

/** A table has at least so many rows with two filled cells. */
const LEAST_ROWS = 2;
const MOST_OPTIONS = 3;

/** The sheet that is read, and the names of others that hold tables, if none was asked for. */
interface ChosenSheet {
  readonly sheet: SheetPart;
  readonly others: readonly string[];
}

function findSheet({ sheets, zip }: Workbook, named: string): SheetPart {
  const sheet = sheets.find(({ name }) => name === named);
  if (sheet !== undefined) return sheet;
  throw inputError({ file: zip.name }, "no-sheet", `the workbook has no sheet named ${quoteText(named)}`, {
    hint: `its sheets are ${listNames(sheets)}: --sheet ${quoteWord(sheets[0]?.name ?? "NAME")}`,
  });
}

/**
 * The first sheet that holds a table and is not hidden. Throws an input error if there is none, and if others have the same
 * columns.
 */
async function chooseSheet(workbook: Workbook, known: RowsContext): Promise<ChosenSheet> {
  const { zip } = workbook;
  const tables: (SheetPart & { readonly heading: string })[] = [];
  let filled: SheetPart | undefined;
  for (const sheet of workbook.sheets) {
    const { isTable, isFilled, heading } = await lookAt(workbook, sheet, known);
    if (isTable) tables.push({ ...sheet, heading });
    else if (isFilled && !sheet.isHidden) filled ??= sheet;
  }
  const [first, ...others] = tables.filter(({ isHidden }) => !isHidden);
  if (first === undefined && filled !== undefined) return { sheet: filled, others: [] };
  if (first === undefined) {
    const hint =
      tables.length > 0
        ? `its tables are in hidden sheets, ${listNames(tables)}: --sheet ${quoteWord(tables[0]!.name)}`
        : "export it again, or leave it out";
    throw inputError({ file: zip.name }, "no-sheet", "no visible sheet of the workbook holds a table", {
      hint,
    });
  }
  const alike = others.filter(({ heading }) => heading === first.heading);
  if (alike.length > 0) throw severalAlike(zip.name, [first, ...alike]);
  return { sheet: first, others: others.map(({ name }) => name) };
}

/** Reads a sheet until it shows that it holds a table. */
async function lookAt(
  workbook: Workbook,
  sheet: SheetPart,
  known: RowsContext,
): Promise<{ readonly isTable: boolean; readonly isFilled: boolean; readonly heading: string }> {
  const reading = new SheetReading(workbook, sheet, known);
  let isFilled = false;
  for await (const _ of reading.lines()) {
    isFilled = true;
    if (reading.wideRows >= LEAST_ROWS) break;
  }
  return { isTable: reading.wideRows >= LEAST_ROWS, isFilled, heading: reading.heading };
}

function severalAlike(file: string, sheets: readonly SheetPart[]): RecPushError {
  const options = sheets.slice(0, MOST_OPTIONS).map(({ name }) => `--sheet ${quoteWord(name)}`);
  return inputError(
    { file },
    "several-sheets",
    `${sheets.length} sheets hold tables with the same columns: ${listNames(sheets)}`,
    {
      hint: `push them one after the other: ${options.join(", then ")}${sheets.length > MOST_OPTIONS ? " ..." : ""}`,
    },
  );
}

/** The notes on a sheet before anything is sent. */
function notesOf({ hiddenRows, firstHidden }: SheetFacts, others: readonly string[]): Notice[] {
  const notices: Notice[] = [];
  if (others.length > 0) {
    const what =
      others.length === 1 ? "another sheet holds a table and is" : "other sheets hold tables and are";
    notices.push({ text: `${what} not read: ${others.map((name) => quoteText(name, 40)).join(", ")}` });
  }
  if (hiddenRows > 0) {
    const [are, they] = hiddenRows === 1 ? ["is", "it is"] : ["are", "they are"];
    notices.push({
      line: firstHidden,
      text: `${showCount(hiddenRows, "row")} of the sheet ${are} hidden, the first is row ${firstHidden}: ${they} read like the others`,
    });
  }
  return notices;
}

/** Tomorrow another sheet may be the first that holds a table. */
function pinsOf({ name }: SheetPart, others: readonly string[]): Pin[] {
  if (others.length === 0) return [];
  const because = `the first of ${others.length + 1} sheets with a table`;
  return [{ what: "sheet", option: `--sheet ${quoteWord(name)}`, because }];
}

function listNames(sheets: readonly SheetPart[]): string {
  return sheets.map(({ name }) => quoteText(name, 40)).join(", ");
}
