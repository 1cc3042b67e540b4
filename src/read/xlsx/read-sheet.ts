import { inputError } from "../input-error.ts";
import { openEntry } from "../zip/zip-directory.ts";
import { errorToken, faultToken } from "./cell-faults.ts";
import { builtInFormat, writeNumber } from "./cell-number.ts";
import { CellWriter } from "./cell-writer.ts";
import type { SharedStrings } from "./shared-strings.ts";
import { isTrue, passElement, readRichText, type SheetPart, undoEscapes, type Workbook } from "./workbook.ts";
import { CLOSE, EMPTY, MORE, OPEN, scanUnits, XmlScanner } from "./xml-scanner.ts";

/** So many bytes of rows are handed on at the latest. */
const MOST_BYTES = 1_048_576;
/** A sheet has a few hundred merged cells; each is kept in memory. */
const MOST_MERGED = 1_000_000;

const ROW = Buffer.from("row");
const SHEET_DATA = Buffer.from("sheetData");
const MERGED = Buffer.from("mergeCell");
const WORKSHEET = Buffer.from("worksheet");

/** The facts about a sheet after it was read. */
export interface SheetFacts {
  /** The cells of its widest row. */
  readonly width: number;
  readonly merged: MergedCells;
  readonly hiddenRows: number;
  readonly firstHidden: number;
}

/** Reads one sheet into CSV: the rows in pieces, then its facts. */
export class SheetReading {
  readonly #part: SheetPart;
  readonly #workbook: Workbook;
  readonly #xml: XmlScanner;
  readonly #rows: SheetRows;
  readonly #writer = new CellWriter();
  readonly #merged = new Map<number, number[]>();
  #mergedCells = 0;
  #isInData = false;
  #hasData = false;
  #isEnded = false;

  constructor(workbook: Workbook, part: SheetPart, context: RowsContext) {
    this.#part = part;
    this.#workbook = workbook;
    this.#xml = new XmlScanner(workbook.zip.name, part.entry.name);
    this.#rows = new SheetRows(this.#xml, this.#writer, workbook, context);
  }

  /** The rows as lines of CSV, each line a row. Bytes are lent until the next ones are asked for. */
  async *lines(): AsyncGenerator<Buffer> {
    const xml = this.#xml;
    const content = openEntry(this.#workbook.zip, this.#part.entry);
    const takeUnit = (): boolean => this.#takeUnit();
    for await (const _ of scanUnits(content, xml, takeUnit, () => this.#writer.at >= MOST_BYTES)) {
      if (this.#writer.at > 0) yield this.#writer.take();
    }
    if (!this.#isEnded || !this.#hasData) throw xml.fault("it is cut off");
  }

  /** To be asked for after the last line. */
  get facts(): SheetFacts {
    const { hiddenRows, firstHidden } = this.#rows;
    return { width: this.#writer.widest, merged: this.#merged, hiddenRows, firstHidden };
  }

  /** Rows so far with at least two filled cells. */
  get wideRows(): number {
    return this.#writer.wideRows;
  }

  /** The first of them, as a line of CSV. */
  get heading(): string {
    return this.#writer.heading;
  }

  #takeUnit(): boolean {
    const xml = this.#xml;
    const kind = xml.next();
    if (kind === MORE) return false;
    if (this.#isInData) {
      if (kind === CLOSE) this.#isInData = false;
      else if (xml.is(ROW) && (kind === OPEN || kind === EMPTY)) return this.#rows.take(kind);
      else throw xml.fault("something else than rows is among the rows");
      return true;
    }
    if (kind === CLOSE) this.#isEnded ||= xml.is(WORKSHEET);
    else if (xml.is(SHEET_DATA)) {
      if (this.#hasData) throw xml.fault("it has rows in two places");
      this.#hasData = true;
      this.#isInData = kind === OPEN;
    } else if (xml.is(MERGED)) this.#addMerged();
    return true;
  }

  /** Cells merged along a row are blank, as in a CSV of the sheet. */
  #addMerged(): void {
    const [, left = "", top, right = left, bottom = top] =
      RANGE.exec(this.#xml.attributeTexts().get("ref") ?? "") ?? [];
    if (left === "") throw this.#xml.fault("merged cells in it cannot be read");
    const [first, last] = [columnOf(left), columnOf(right)];
    for (let row = Number(top) + 1; row <= Number(bottom); row++) {
      const columns = this.#merged.get(row) ?? [];
      for (let column = first; column <= last; column++) columns.push(column);
      this.#merged.set(row, columns);
      this.#mergedCells += last - first + 1;
      if (this.#mergedCells > MOST_MERGED)
        throw this.#xml.fault(`more than ${MOST_MERGED} cells in it are merged with those above`);
    }
  }
}

const RANGE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;

/** The number of a column, counted from 0. */
function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 0x40;
  return column - 1;
}

/** The sizes of a sheet (ECMA-376 and every program). */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;

const CELL = Buffer.from("c");
const VALUE = Buffer.from("v");
const FORMULA = Buffer.from("f");
const INLINE = Buffer.from("is");

const R = 0x72;
const S = 0x73;
const T = 0x74;
const COLON = 0x3a;

/** By row, the columns that are merged with a cell above. */
type MergedCells = ReadonlyMap<number, readonly number[]>;

/** The facts that the rows of a sheet need. */
export interface RowsContext {
  readonly strings: SharedStrings;
  readonly merged: MergedCells;
  readonly maxRowBytes: number;
}

const GENERAL = builtInFormat(0);

/** Reads the rows of a sheet, one `<row>` after the other, into lines of CSV whose numbers are those of the rows. */
class SheetRows {
  hiddenRows = 0;
  firstHidden = 0;
  readonly #xml: XmlScanner;
  readonly #writer: CellWriter;
  readonly #workbook: Workbook;
  readonly #context: RowsContext;
  /** Of the last `<row>`, whether it held something or not. */
  #row = 0;
  /** The row at hand. */
  #next = 0;
  /** Of the row that was written last. */
  #line = 0;
  /** The columns of the row at hand that are merged with a cell above, and how many of them were passed. */
  #merged: readonly number[] = [];
  #mergedAt = 0;
  /** Of the cell at hand. */
  #column = -1;
  #style = 0;
  #type = "n";
  /** A bit for each attribute that it has. */
  #given = 0;

  constructor(xml: XmlScanner, writer: CellWriter, workbook: Workbook, context: RowsContext) {
    this.#xml = xml;
    this.#writer = writer;
    this.#workbook = workbook;
    this.#context = context;
  }

  /** Takes the row whose tag the scanner is at; false if the bytes end inside it. */
  take(kind: typeof OPEN | typeof EMPTY): boolean {
    const xml = this.#xml;
    const texts = xml.attributeTexts();
    const given = texts.get("r");
    const row = given === undefined ? this.#row + 1 : Number(given);
    if (!(row > this.#row && row <= MOST_ROWS)) throw xml.fault(`its rows are out of order: ${given}`);
    this.#next = row;
    this.#merged = this.#context.merged.get(row)?.toSorted((one, other) => one - other) ?? [];
    this.#mergedAt = 0;
    if (kind === OPEN && !this.#readCells(row)) {
      this.#writer.dropRow();
      return false;
    }
    this.#row = row;
    if (this.#writer.width === 0) return true;
    this.#markMerged(MOST_COLUMNS);
    const { maxRowBytes } = this.#context;
    if (this.#writer.rowBytes > maxRowBytes) {
      throw inputError(
        { file: this.#workbook.zip.name, line: row },
        "row-too-long",
        `the row is longer than ${maxRowBytes.toLocaleString("en")} bytes`,
        { hint: '"maxRowBytes" in the table\'s section of the config allows more' },
      );
    }
    this.#writer.endRow();
    this.#line = row;
    if (isTrue(texts.get("hidden")) && this.hiddenRows++ === 0) this.firstHidden = row;
    return true;
  }

  #readCells(row: number): boolean {
    const xml = this.#xml;
    let last = -1;
    for (;;) {
      const kind = xml.next();
      if (kind === MORE) return false;
      if (kind === CLOSE) return true;
      if (!xml.is(CELL)) {
        if (kind === OPEN && !passElement(xml)) return false;
        continue;
      }
      this.#column = last + 1;
      this.#style = this.#given = 0;
      this.#type = "n";
      xml.attributes(this.#takeAttribute);
      if (this.#column <= last || this.#column >= MOST_COLUMNS)
        throw xml.fault(`the cells of row ${row} are out of order`);
      last = this.#column;
      if (kind === OPEN && !this.#readCell(row)) return false;
    }
  }

  /** An attribute of a cell. */
  readonly #takeAttribute = (nameStart: number, nameEnd: number, start: number, end: number): void => {
    const xml = this.#xml;
    const { bytes } = xml;
    if (nameEnd - nameStart !== 1 || bytes[nameStart - 1] === COLON) return;
    const name = bytes[nameStart]!;
    const bit = 1 << (name & 31);
    if ((this.#given & bit) !== 0) throw xml.fault(`a cell of row ${this.#next} says something twice`);
    this.#given |= bit;
    if (name === R) {
      let column = 0;
      let at = start;
      for (; at < end && bytes[at]! > 0x40 && bytes[at]! <= 0x5a; at++)
        column = 26 * column + (bytes[at]! & 0x1f);
      if (column === 0 || parseCount(bytes, at, end) !== this.#next)
        throw xml.fault(`a cell of row ${this.#next} is of another row`);
      this.#column = column - 1;
    } else if (name === S) this.#style = parseCount(bytes, start, end);
    else if (name === T)
      this.#type = end - start === 1 ? String.fromCharCode(bytes[start]!) : xml.text(start, end);
  };

  /** Reads a cell and writes it; false if the bytes end inside it. */
  #readCell(row: number): boolean {
    const xml = this.#xml;
    let start = -1;
    let end = -1;
    let inline: string | undefined;
    let isFormula = false;
    for (;;) {
      const kind = xml.next();
      if (kind === MORE) return false;
      if (kind === CLOSE) break;
      if (xml.is(VALUE)) {
        if (start !== -1) throw xml.fault(`a cell of row ${row} holds two values`);
        start = end = 0;
        if (kind === EMPTY) continue;
        const close = xml.next();
        if (close === MORE) return false;
        if (close !== CLOSE) throw xml.fault(`a value of row ${row} holds other elements`);
        start = xml.textStart;
        end = xml.textEnd;
      } else if (xml.is(INLINE)) {
        if (inline !== undefined || this.#type !== "inlineStr")
          throw xml.fault(`a cell of row ${row} holds two values`);
        inline = kind === EMPTY ? "" : readRichText(xml);
        if (inline === undefined) return false;
      } else {
        isFormula ||= xml.is(FORMULA);
        if (kind === OPEN && !passElement(xml)) return false;
      }
    }
    if (
      isFormula &&
      (this.#workbook.isUncalculated || start === -1 || (start === end && this.#type !== "str"))
    ) {
      this.#begin();
      this.#writer.token(faultToken("FORMULA"));
    } else if (inline !== undefined) this.#writeText(inline);
    else if (start < end) this.#writeValue(start, end, row);
    return true;
  }

  #writeValue(start: number, end: number, row: number): void {
    const xml = this.#xml;
    switch (this.#type) {
      case "s": {
        const { strings } = this.#context;
        const index = parseCount(xml.bytes, start, end);
        if (!(index < strings.count))
          throw xml.fault(`row ${row} refers to a text that is not in the workbook`);
        const text = strings.find(index);
        if (text.length === 0) return;
        this.#begin();
        this.#writer.raw(text, 0, text.length);
        return;
      }
      case "n": {
        const { formats, is1904 } = this.#workbook;
        const format = formats.length === 0 ? GENERAL : formats[this.#style];
        if (format === undefined)
          throw xml.fault(`row ${row} refers to a format that is not in the workbook`);
        this.#begin();
        writeNumber(xml.bytes, start, end, format, is1904, this.#writer);
        return;
      }
      case "b": {
        const text = xml.text(start, end).trim();
        this.#begin();
        if (text === "1" || text === "true") this.#writer.token("true");
        else this.#writer.token(text === "0" || text === "false" ? "false" : faultToken("NUMBER", text));
        return;
      }
      case "e":
        this.#begin();
        this.#writer.token(errorToken(xml.text(start, end)));
        return;
      case "str":
      case "d":
      case "inlineStr":
        this.#writeText(xml.text(start, end));
        return;
      default:
        throw xml.fault(`row ${row} holds a cell of an unknown kind`);
    }
  }

  #writeText(text: string): void {
    const plain = undoEscapes(text);
    if (plain === "") return;
    this.#begin();
    if (plain === undefined) this.#writer.token(faultToken("TEXT"));
    else this.#writer.text(plain);
  }

  /** Begins the cell at hand, after the rows and the merged cells before it. */
  #begin(): void {
    for (; this.#line < this.#next - 1; this.#line++) this.#writer.endRow();
    this.#markMerged(this.#column);
    this.#writer.beginCell(this.#column);
  }

  /**
   * Marks the cells before a column that are merged with one above: the sheet has one value for several rows there, which
   * may not be meant for all of them.
   */
  #markMerged(before: number): void {
    for (; (this.#merged[this.#mergedAt] ?? before) < before; this.#mergedAt++) {
      const column = this.#merged[this.#mergedAt]!;
      if (column < this.#writer.width) continue;
      this.#writer.beginCell(column);
      this.#writer.token(faultToken("MERGED"));
    }
  }
}

const ZERO = 0x30;

/** The number in ASCII digits; `NaN` for any other text, and for none. */
function parseCount(bytes: Buffer, start: number, end: number): number {
  if (start === end) return Number.NaN;
  let count = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    count = 10 * count + digit;
  }
  return count;
}
