import type { RecPushError } from "../../model/failure.ts";
import type { Notice, Pin } from "../../model/reading.ts";
import { quoteText, quoteWord } from "../../model/refer-to-sheets.ts";
import { inputError } from "../input-error.ts";
import { CopyBounds } from "../source/copy-bounds.ts";
import { readFrom } from "../source/read-from.ts";
import type { SheetRead, SheetWanted, Source } from "../source/source.ts";
import { spool, type Spool } from "../source/spool.ts";
import { openEntry, type ZipEntry, type ZipFile } from "../zip/zip-directory.ts";
import type { CellWriter } from "./cell-writer.ts";
import { scanUnits, type SheetFacts, type SheetLayout, SheetReading } from "./read-sheet.ts";
import { faultToken, type Strings } from "./rows-layout.ts";
import { SharedStrings } from "./shared-strings.ts";
import { readRichText, readWorkbook, type SheetPart, undoEscapes, type Workbook } from "./workbook.ts";
import { CLOSE, EMPTY, MORE, XmlScanner } from "./xml-scanner.ts";

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

const ITEM = Buffer.from("si");
const NOTHING = Buffer.alloc(0);

/** Reads the texts that cells share, once; they are to be closed. */
async function loadStrings({ zip, sharedStrings }: Workbook, directory: string): Promise<SharedStrings> {
  const strings = new SharedStrings(directory);
  if (sharedStrings === undefined) return strings;
  const xml = new XmlScanner(zip.name, sharedStrings.name);
  const takeUnit = (): boolean => {
    const kind = xml.next();
    if (kind === MORE) return false;
    if (kind === CLOSE || !xml.is(ITEM)) return true;
    const text = kind === EMPTY ? "" : readRichText(xml);
    if (text === undefined) return false;
    strings.add(spell(text));
    return true;
  };
  try {
    for await (const _ of scanUnits(openEntry(zip, sharedStrings), xml, takeUnit));
    strings.seal();
  } catch (error) {
    await strings.close();
    throw error;
  }
  return strings;
}

/** A text as it is written to a row. */
function spell(text: string): Buffer {
  const plain = undoEscapes(text);
  if (plain === undefined) return Buffer.from(faultToken("TEXT"));
  return plain === "" ? NOTHING : Buffer.from(`"${plain.replaceAll('"', '""')}"`);
}

/** A table has at least so many rows with two filled cells. */
const LEAST_ROWS = 2;
/** A header is in so many bytes, titles above it included. */
const MOST_HEADING = 65_536;
const MOST_OPTIONS = 3;

/** In place of every shared text while a sheet is only looked at: its number, which is the same for the same text. */
class NumberedTexts implements Strings {
  readonly count = Infinity;
  #index = 0;

  find(index: number): boolean {
    this.#index = index;
    return true;
  }

  write(writer: CellWriter): void {
    writer.token(`"#${this.#index}"`);
  }
}

/** The sheet that is read, and what a person should know of the choice. */
interface ChosenSheet {
  readonly sheet: SheetPart;
  /** The names of others that hold tables, if none was asked for. */
  readonly others: readonly string[];
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

interface Look {
  readonly kind: "table" | "filled" | "empty";
  /** The first row with at least two filled cells, with the numbers of shared texts. */
  readonly heading: string;
}

/**
 * The sheet of that name, or the first that holds a table and is not hidden. Throws an input error if there is none, and
 * if others have the same columns.
 */
async function chooseSheet(
  workbook: Workbook,
  named: string | undefined,
  maxRowBytes: number,
): Promise<ChosenSheet> {
  const { sheets, zip } = workbook;
  if (named !== undefined) {
    const sheet = sheets.find(({ name }) => name === named) ?? findAlike(sheets, named);
    if (sheet !== undefined)
      return { sheet, others: [], notices: sheet.isHidden ? [noteHidden([sheet], false)] : [], pins: [] };
    throw inputError({ file: zip.name }, "no-sheet", `the workbook has no sheet named ${quoteText(named)}`, {
      hint: `its sheets are ${listNames(sheets)}: --sheet ${quoteWord(sheets[0]?.name ?? "NAME")}`,
    });
  }
  const tables: SheetPart[] = [];
  const headings = new Map<SheetPart, string>();
  let filled: SheetPart | undefined;
  for (const sheet of sheets) {
    const { kind, heading } = await lookAt(workbook, sheet, maxRowBytes);
    headings.set(sheet, heading);
    if (kind === "table") tables.push(sheet);
    else if (kind === "filled" && !sheet.isHidden) filled ??= sheet;
  }
  const visible = tables.filter(({ isHidden }) => !isHidden);
  const hidden = tables.filter(({ isHidden }) => isHidden);
  const sheet = visible[0] ?? filled;
  if (sheet === undefined) {
    const hint =
      hidden.length > 0
        ? `its tables are in hidden sheets, ${listNames(hidden)}: --sheet ${quoteWord(hidden[0]!.name)}`
        : "export it again, or leave it out";
    throw inputError({ file: zip.name }, "no-sheet", "no sheet of the workbook that is shown holds a table", {
      hint,
    });
  }
  const alike = visible.filter(
    (one) => headings.get(one) !== "" && headings.get(one) === headings.get(sheet),
  );
  if (alike.length > 1) throw severalAlike(zip.name, alike);
  const others = visible.slice(1);
  const because = `the first of ${visible.length} sheets with a table`;
  return {
    sheet,
    others: others.map(({ name }) => name),
    notices: [
      ...(others.length > 0 ? [noteOthers(others)] : []),
      ...(hidden.length > 0 ? [noteHidden(hidden, true)] : []),
    ],
    pins: others.length > 0 ? [{ what: "sheet", option: `--sheet ${quoteWord(sheet.name)}`, because }] : [],
  };
}

/** The one sheet whose name differs in case and outer spaces only. */
function findAlike(sheets: readonly SheetPart[], named: string): SheetPart | undefined {
  const plain = (name: string): string => name.trim().toLowerCase();
  const found = sheets.filter(({ name }) => plain(name) === plain(named));
  return found.length === 1 ? found[0] : undefined;
}

/** Reads a sheet until it shows what it is. */
async function lookAt(workbook: Workbook, sheet: SheetPart, maxRowBytes: number): Promise<Look> {
  const layout = { strings: new NumberedTexts(), width: 0, merged: [], maxRowBytes };
  const reading = new SheetReading(workbook, sheet, layout);
  let isFilled = false;
  let heading = "";
  for await (const lines of reading.lines()) {
    heading ||= firstWideLine(lines);
    if (reading.wideRows >= LEAST_ROWS) return { kind: "table", heading };
    isFilled = true;
  }
  return { kind: isFilled ? "filled" : "empty", heading };
}

function firstWideLine(lines: Buffer): string {
  const all = lines.toString("utf8", 0, MOST_HEADING).split("\n");
  const isWide = (line: string): boolean => line.split(",").filter((cell) => cell !== "").length >= 2;
  // The sheet may be filled up to the width of rows further down.
  return all.find(isWide)?.replace(/,+$/, "") ?? "";
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

function noteOthers(sheets: readonly SheetPart[]): Notice {
  const what =
    sheets.length === 1 ? "another sheet holds a table and is" : "other sheets hold tables and are";
  return { text: `${what} not read: ${listNames(sheets)}` };
}

function noteHidden(sheets: readonly SheetPart[], areLeft: boolean): Notice {
  const [noun, are] = sheets.length === 1 ? ["sheet", "is"] : ["sheets", "are"];
  return { text: `the ${noun} ${listNames(sheets)} ${are} hidden${areLeft ? ` and ${are} not read` : ""}` };
}

function listNames(sheets: readonly SheetPart[]): string {
  return sheets.map(({ name }) => quoteText(name, 40)).join(", ");
}
