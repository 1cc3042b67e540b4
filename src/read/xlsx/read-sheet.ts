import { inputError } from "../input-error.ts";
import { openEntry } from "../zip/zip-directory.ts";
import { errorToken, faultToken } from "./cell-faults.ts";
import { builtInFormat, numberText } from "./cell-number.ts";
import { isTrue, type SheetPart, undoEscapes, type Workbook } from "./workbook.ts";
import { XmlReader } from "./xml-reader.ts";

/** With so many characters rows are handed on at the latest. */
const MOST_LENGTH = 1_048_576;
/** A sheet has a few hundred merged cells; each is kept in memory. */
const MOST_MERGED = 1_000_000;
/** The sizes of a sheet (ECMA-376 and every program). */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;

const GENERAL = builtInFormat(0);
const RANGE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;
const PLACE = /^([A-Z]+)(\d+)$/;
const COUNT = /^\d+$/;

/** The facts about a sheet after it was read. */
export interface SheetFacts {
  /** The cells of its widest row. */
  readonly width: number;
  /** By row, the columns that are merged with a cell above. */
  readonly merged: ReadonlyMap<number, readonly number[]>;
  readonly hiddenRows: number;
  readonly firstHidden: number;
}

/** The facts that the rows of a sheet need. */
export interface RowsContext extends Pick<SheetFacts, "merged"> {
  /** The texts that cells share, as they are written to a row. */
  readonly strings: readonly string[];
  readonly maxRowBytes: number;
}

/**
 * Reads one sheet into CSV, then gives its facts: texts in quotes, everything else without them, one line for each row. A row
 * ends with its last filled cell: the reader knows how wide the sheet is.
 */
export class SheetReading {
  readonly #part: SheetPart;
  readonly #workbook: Workbook;
  readonly #xml: XmlReader;
  readonly #context: RowsContext;
  /** The facts, to be asked for after the last line. */
  readonly facts = { width: 0, merged: new Map<number, number[]>(), hiddenRows: 0, firstHidden: 0 };
  /** Rows so far with at least two filled cells, and the first of them as it is written. */
  wideRows = 0;
  heading = "";
  #mergedCells = 0;
  #hasData = false;
  /** The complete rows that wait, and the number of lines so far. */
  #lines = "";
  #line = 0;
  /** The row at hand: its number, its text so far, and its cells. */
  #row = 0;
  #text = "";
  #width = 0;
  #filled = 0;
  #isHidden = false;
  /** The columns of the row at hand that are merged with a cell above, and how many of them were passed. */
  #merged: readonly number[] = [];
  #mergedAt = 0;
  /** The cell at hand. */
  #column = -1;
  #style = 0;
  #type = "n";
  #value: string | undefined;
  #inline: string | undefined;
  #isFormula = false;

  constructor(workbook: Workbook, part: SheetPart, context: RowsContext) {
    this.#part = part;
    this.#workbook = workbook;
    this.#context = context;
    this.#xml = new XmlReader(workbook.zip.name, part.entry.name);
  }

  /** The rows as lines of CSV, each line a row. */
  async *lines(): AsyncGenerator<string> {
    const xml = this.#xml;
    for await (const piece of openEntry(this.#workbook.zip, this.#part.entry)) {
      xml.feed(piece);
      while (xml.next()) {
        if (xml.isOpening) this.#begin();
        else this.#end();
        // A few bytes may name a long text many times.
        if (this.#lines.length >= MOST_LENGTH) yield this.#take();
      }
      if (this.#lines !== "") yield this.#take();
    }
    xml.end();
    if (!this.#hasData) throw xml.fault("it has no rows");
  }

  #take(): string {
    const lines = this.#lines;
    this.#lines = "";
    return lines;
  }

  #begin(): void {
    const xml = this.#xml;
    switch (xml.name) {
      case "sheetData":
        if (this.#hasData) throw xml.fault("it has rows in two places");
        this.#hasData = true;
        return;
      case "mergeCell":
        this.#addMerged();
        return;
      case "row":
        this.#beginRow();
        return;
      case "c":
        this.#beginCell();
        return;
      case "v":
        if (this.#value !== undefined) throw xml.fault(`a cell of row ${this.#row} holds two values`);
        this.#value = "";
        return;
      case "is":
        if (this.#inline !== undefined || this.#type !== "inlineStr")
          throw xml.fault(`a cell of row ${this.#row} holds two values`);
        this.#inline = "";
        return;
      case "f":
        this.#isFormula = true;
    }
  }

  #end(): void {
    const { name, text } = this.#xml;
    if (name === "v") this.#value = text;
    else if (name === "t") this.#inline += text;
    else if (name === "c") this.#writeCell();
    else if (name === "row") this.#endRow();
  }

  /** Cells merged along a row are blank, as in a CSV of the sheet. */
  #addMerged(): void {
    const [, left = "", top, right = left, bottom = top] =
      RANGE.exec(this.#xml.attributes().get("ref") ?? "") ?? [];
    if (left === "") throw this.#xml.fault("merged cells in it cannot be read");
    const { merged } = this.facts;
    const [first, last] = [columnOf(left), columnOf(right)];
    for (let row = Number(top) + 1; row <= Number(bottom); row++) {
      const columns = merged.get(row) ?? [];
      for (let column = first; column <= last; column++) columns.push(column);
      merged.set(row, columns);
      this.#mergedCells += last - first + 1;
      if (this.#mergedCells > MOST_MERGED)
        throw this.#xml.fault(`more than ${MOST_MERGED} cells in it are merged with those above`);
    }
  }

  #beginRow(): void {
    const attributes = this.#xml.attributes();
    const given = attributes.get("r");
    const row = given === undefined ? this.#row + 1 : Number(given);
    if (!(row > this.#row && row <= MOST_ROWS)) throw this.#xml.fault(`its rows are out of order: ${given}`);
    this.#row = row;
    this.#isHidden = isTrue(attributes.get("hidden"));
    this.#column = -1;
    this.#merged = this.#context.merged.get(row)?.toSorted((one, other) => one - other) ?? [];
    this.#mergedAt = 0;
  }

  #endRow(): void {
    if (this.#width === 0) return;
    this.#markMerged(MOST_COLUMNS);
    this.#checkLength();
    const { facts } = this;
    if (this.#filled > 1 && this.wideRows++ === 0) this.heading = this.#text;
    if (this.#isHidden && facts.hiddenRows++ === 0) facts.firstHidden = this.#row;
    facts.width = Math.max(facts.width, this.#width);
    this.#lines += `${this.#text}\n`;
    this.#line = this.#row;
    this.#text = "";
    this.#width = this.#filled = 0;
  }

  #beginCell(): void {
    const xml = this.#xml;
    const last = this.#column;
    this.#column++;
    this.#style = 0;
    this.#type = "n";
    this.#value = this.#inline = undefined;
    this.#isFormula = false;
    for (const [name, value] of xml.attributes()) {
      if (name === "t") this.#type = value;
      else if (name === "s") this.#style = COUNT.test(value) ? Number(value) : Number.NaN;
      else if (name === "r") {
        const [, letters = "", row] = PLACE.exec(value) ?? [];
        if (Number(row) !== this.#row) throw xml.fault(`a cell of row ${this.#row} is of another row`);
        this.#column = columnOf(letters);
      }
    }
    if (this.#column <= last || this.#column >= MOST_COLUMNS)
      throw xml.fault(`the cells of row ${this.#row} are out of order`);
  }

  /** Writes the cell at hand. */
  #writeCell(): void {
    const { isUncalculated } = this.#workbook;
    const value = this.#value ?? "";
    const isStored = this.#value !== undefined && (value !== "" || this.#type === "str");
    const text =
      this.#isFormula && (isUncalculated || !isStored)
        ? faultToken("FORMULA")
        : this.#inline !== undefined
          ? spellText(this.#inline)
          : value === ""
            ? ""
            : this.#spell(value);
    if (text === "") return;
    for (; this.#line < this.#row - 1; this.#line++) this.#lines += "\n";
    this.#markMerged(this.#column);
    this.#put(this.#column, text);
    this.#checkLength();
  }

  /** A value as it is written to a row. */
  #spell(value: string): string {
    const xml = this.#xml;
    switch (this.#type) {
      case "s": {
        const { strings } = this.#context;
        const text = COUNT.test(value) ? strings[Number(value)] : undefined;
        if (text === undefined)
          throw xml.fault(`row ${this.#row} refers to a text that is not in the workbook`);
        return text;
      }
      case "n": {
        const { formats, is1904 } = this.#workbook;
        const format = formats.length === 0 ? GENERAL : formats[this.#style];
        if (format === undefined)
          throw xml.fault(`row ${this.#row} refers to a format that is not in the workbook`);
        return numberText(value.trim(), format, is1904);
      }
      case "b": {
        const text = value.trim();
        if (text === "1" || text === "true") return "true";
        return text === "0" || text === "false" ? "false" : faultToken("NUMBER", text);
      }
      case "e":
        return errorToken(value);
      case "str":
      case "d":
      case "inlineStr":
        return spellText(value);
      default:
        throw xml.fault(`row ${this.#row} holds a cell of an unknown kind`);
    }
  }

  #put(column: number, text: string): void {
    this.#text += ",".repeat(this.#width === 0 ? column : column - this.#width + 1) + text;
    this.#width = column + 1;
    this.#filled++;
  }

  /**
   * Marks the cells before a column that are merged with one above: the sheet has one value for several rows there, which
   * may not be meant for all of them.
   */
  #markMerged(before: number): void {
    for (; (this.#merged[this.#mergedAt] ?? before) < before; this.#mergedAt++) {
      const column = this.#merged[this.#mergedAt]!;
      if (column >= this.#width) this.#put(column, faultToken("MERGED"));
    }
  }

  #checkLength(): void {
    const { maxRowBytes } = this.#context;
    if (3 * this.#text.length <= maxRowBytes || Buffer.byteLength(this.#text) <= maxRowBytes) return;
    throw inputError(
      { file: this.#workbook.zip.name, line: this.#row },
      "too-long",
      `the row is longer than ${maxRowBytes.toLocaleString("en")} bytes`,
      { hint: '"maxRowBytes" in the table\'s section of the config allows more' },
    );
  }
}

/** The number of a column, counted from 0. */
function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 0x40;
  return column - 1;
}

/** A text as it is written to a row, in quotes; nothing for an empty one. */
export function spellText(text: string): string {
  const plain = undoEscapes(text);
  if (plain === undefined) return faultToken("TEXT");
  return plain === "" ? "" : `"${plain.replaceAll('"', '""')}"`;
}
