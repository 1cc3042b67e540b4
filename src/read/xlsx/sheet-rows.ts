import { inputError } from "../input-error.ts";
import type { CellWriter } from "./cell-writer.ts";
import { builtInKinds, ColumnCurrencies } from "./number-format.ts";
import {
  errorToken,
  faultToken,
  KnownDays,
  type MergedCells,
  type RowsLayout,
  type Strings,
  truthToken,
} from "./rows-layout.ts";
import { type NumberRules, SheetNotes, writeNumber } from "./sheet-notes.ts";
import { passElement, readRichText, undoEscapes, type Workbook } from "./workbook.ts";
import { CLOSE, EMPTY, MORE, OPEN, type XmlScanner } from "./xml-scanner.ts";

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

/** Reads the rows of a sheet, one `<row>` after the other, into lines of CSV whose numbers are those of the rows. */
export class SheetRows {
  readonly notes = new SheetNotes();
  readonly #xml: XmlScanner;
  readonly #writer: CellWriter;
  readonly #strings: Strings;
  readonly #merged: MergedCells;
  readonly #lines: RowLines;
  readonly #rules: readonly NumberRules[];
  readonly #plain: NumberRules;
  readonly #currencies = new ColumnCurrencies();
  readonly #isUncalculated: boolean;
  readonly #file: string;
  readonly #maxRowBytes: number;
  /** Of the last `<row>`, whether it held something or not. */
  #row = 0;
  /** The row at hand. */
  #next = 0;
  /** Of the cell at hand. */
  #column = -1;
  #style = 0;
  #type = "n";
  /** A bit for each attribute that it has. */
  #given = 0;

  constructor(
    xml: XmlScanner,
    writer: CellWriter,
    { zip, formats, is1904, isUncalculated }: Workbook,
    { strings, merged, maxRowBytes }: RowsLayout,
  ) {
    this.#xml = xml;
    this.#writer = writer;
    this.#strings = strings;
    this.#merged = merged;
    this.#lines = new RowLines(writer);
    const system = { is1904, days: new KnownDays(is1904) };
    this.#rules = formats.map((kinds) => ({ kinds, ...system }));
    this.#plain = { kinds: builtInKinds(0), ...system };
    this.#isUncalculated = isUncalculated;
    this.#file = zip.name;
    this.#maxRowBytes = maxRowBytes;
  }

  /** Takes the row whose tag the scanner is at; false if the bytes end inside it. */
  take(kind: typeof OPEN | typeof EMPTY): boolean {
    const xml = this.#xml;
    const texts = xml.attributeTexts();
    const given = texts.get("r");
    const row = given === undefined ? this.#row + 1 : Number(given);
    if (!(row > this.#row && row <= MOST_ROWS)) throw xml.fault(`its rows are out of order: ${given}`);
    const isHidden = texts.get("hidden") === "1" || texts.get("hidden") === "true";
    this.#next = row;
    if (kind === OPEN && !this.#readCells(row)) {
      this.#writer.dropRow();
      return false;
    }
    this.#row = row;
    if (this.#writer.width === 0) return true;
    this.#merged.endRow(row, this.#writer);
    if (this.#writer.rowBytes > this.#maxRowBytes) {
      throw inputError(
        { file: this.#file, line: row },
        "row-too-long",
        `the row is longer than ${this.#maxRowBytes.toLocaleString("en")} bytes`,
        { hint: '"maxRowBytes" in the table\'s section of the config allows more' },
      );
    }
    this.#lines.endRow(row);
    if (isHidden) this.notes.addHiddenRow(row);
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

  /** Reads what is in a cell and writes it; false if the bytes end inside it. */
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
    if (isFormula && (this.#isUncalculated || start === -1 || (start === end && this.#type !== "str"))) {
      this.#begin(row);
      this.#writer.token(faultToken("FORMULA"));
    } else if (inline !== undefined) this.#writeText(inline, row);
    else if (start < end) this.#writeValue(start, end, row);
    return true;
  }

  #writeValue(start: number, end: number, row: number): void {
    const xml = this.#xml;
    switch (this.#type) {
      case "s": {
        const index = parseCount(xml.bytes, start, end);
        if (!(index < this.#strings.count))
          throw xml.fault(`row ${row} refers to a text that is not in the workbook`);
        if (!this.#strings.find(index)) return;
        this.#begin(row);
        this.#strings.write(this.#writer);
        return;
      }
      case "n": {
        this.#begin(row);
        const rules = this.#rules[this.#style] ?? this.#plain;
        if (!(this.#style < this.#rules.length || this.#rules.length === 0))
          throw xml.fault(`row ${row} refers to a format that is not in the workbook`);
        const { currency } = rules.kinds;
        if (currency !== undefined && this.#currencies.isOther(this.#column, currency)) {
          this.#writer.token(faultToken("CURRENCY", `${xml.text(start, end)} ${currency}`));
          return;
        }
        const remark = writeNumber(xml.bytes, start, end, rules, this.#writer);
        if (remark !== undefined) this.notes.addNumber(remark, row, xml.text(start, end));
        return;
      }
      case "b": {
        this.#begin(row);
        this.#writer.token(truthToken(xml.text(start, end)));
        return;
      }
      case "e":
        this.#begin(row);
        this.#writer.token(errorToken(xml.text(start, end)));
        return;
      case "str":
      case "d":
      case "inlineStr":
        this.#writeText(xml.text(start, end), row);
        return;
      default:
        throw xml.fault(`row ${row} holds a cell of an unknown kind`);
    }
  }

  #writeText(text: string, row: number): void {
    const plain = undoEscapes(text);
    if (plain === "") return;
    this.#begin(row);
    if (plain === undefined) this.#writer.token(faultToken("TEXT"));
    else this.#writer.text(plain);
  }

  #begin(row: number): void {
    this.#merged.beforeCell(row, this.#column, this.#writer);
    this.#lines.beforeCell(row);
    this.#writer.beginCell(this.#column);
  }
}

const ZERO = 0x30;

/** The number that digits of ASCII write; `NaN` for anything else, and for none. */
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

/** Keeps the lines that are written at the numbers of their rows. */
export class RowLines {
  readonly #writer: CellWriter;
  /** Of the row that was written last. */
  #last = 0;

  constructor(writer: CellWriter) {
    this.#writer = writer;
  }

  /** The rows between the last one and this are blank: as a spreadsheet's CSV has it the first of them has cells. */
  beforeCell(row: number): void {
    if (this.#writer.width > 0 || this.#last >= row - 1) return;
    for (let line = this.#last + 1; line < row; line++) {
      if (line === this.#last + 1 && line > 1) this.#writer.blankRow();
      else this.#writer.emptyRow();
    }
    this.#last = row - 1;
  }

  endRow(row: number): void {
    this.#writer.endRow();
    this.#last = row;
  }
}
