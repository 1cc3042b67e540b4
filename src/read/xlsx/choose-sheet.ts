import { quoteWord } from "../../model/shell-word.ts";
import { quoteText } from "../../model/visible-text.ts";
import { inputError } from "../input-error.ts";
import type { Notice, Pin } from "../../model/reading.ts";
import { SheetReading } from "./read-sheet.ts";
import type { SheetPart, Workbook } from "./workbook.ts";

/** A table has at least so many rows with two filled cells. */
const LEAST_ROWS = 2;

/** In place of every shared text while a sheet is only looked at. */
const SOME_TEXT = { count: Infinity, find: () => true, write: () => undefined };

/** The sheet that is read, and what a person should know of the choice. */
export interface ChosenSheet {
  readonly sheet: SheetPart;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** The sheet of that name, or the first that holds a table and is not hidden. Throws an input error if there is none. */
export async function chooseSheet(
  workbook: Workbook,
  named: string | undefined,
  maxRowBytes: number,
): Promise<ChosenSheet> {
  const { sheets, zip } = workbook;
  if (named !== undefined) {
    const sheet = sheets.find(({ name }) => name === named) ?? findAlike(sheets, named);
    if (sheet !== undefined)
      return { sheet, notices: sheet.isHidden ? [noteHidden([sheet], false)] : [], pins: [] };
    throw inputError({ file: zip.name }, "no-sheet", `the workbook has no sheet named ${quoteText(named)}`, {
      hint: `its sheets are ${listNames(sheets)}: --sheet ${quoteWord(sheets[0]?.name ?? "NAME")}`,
    });
  }
  const tables: SheetPart[] = [];
  let filled: SheetPart | undefined;
  for (const sheet of sheets) {
    const look = await lookAt(workbook, sheet, maxRowBytes);
    if (look === "table") tables.push(sheet);
    else if (look === "filled" && !sheet.isHidden) filled ??= sheet;
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
  const others = visible.slice(1);
  const because = `the first of ${visible.length} sheets with a table; the others: ${listNames(others)}`;
  return {
    sheet,
    notices: hidden.length > 0 ? [noteHidden(hidden, true)] : [],
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
async function lookAt(
  workbook: Workbook,
  sheet: SheetPart,
  maxRowBytes: number,
): Promise<"table" | "filled" | "empty"> {
  const layout = { strings: SOME_TEXT, width: 0, merged: [], maxRowBytes };
  const reading = new SheetReading(workbook, sheet, layout);
  let isFilled = false;
  for await (const _ of reading.lines()) {
    if (reading.wideRows >= LEAST_ROWS) return "table";
    isFilled = true;
  }
  return isFilled ? "filled" : "empty";
}

function noteHidden(sheets: readonly SheetPart[], areLeft: boolean): Notice {
  const [noun, are] = sheets.length === 1 ? ["sheet", "is"] : ["sheets", "are"];
  return { text: `the ${noun} ${listNames(sheets)} ${are} hidden${areLeft ? ` and ${are} not read` : ""}` };
}

function listNames(sheets: readonly SheetPart[]): string {
  return sheets.map(({ name }) => quoteText(name, 40)).join(", ");
}
