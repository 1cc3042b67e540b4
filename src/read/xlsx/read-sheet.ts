import { isUtf8 } from "node:buffer";
import { openEntry } from "../zip/zip-directory.ts";
import { CellWriter } from "./cell-writer.ts";
import { type MergedCells, type RowsContext, SheetRows } from "./sheet-rows.ts";
import type { SheetPart, Workbook } from "./workbook.ts";
import { CLOSE, EMPTY, MORE, OPEN, XmlScanner } from "./xml-scanner.ts";

/** So many bytes of rows are handed on at the latest. */
const MOST_BYTES = 1_048_576;
/** A sheet has a few hundred merged cells; each is kept in memory. */
const MOST_MERGED = 1_000_000;

const ROW = Buffer.from("row");
const SHEET_DATA = Buffer.from("sheetData");
const MERGED = Buffer.from("mergeCell");
const WORKSHEET = Buffer.from("worksheet");

/** What a sheet turned out to be. */
export interface SheetFacts {
  /** The cells of its widest row. */
  readonly width: number;
  readonly merged: MergedCells;
  readonly hiddenRows: number;
  readonly firstHidden: number;
}

/** Reads one sheet into CSV: the rows in pieces, then what it turned out to be. */
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

/** The XML of one row, or of one shared string, is at most so long. */
const MOST_UNIT_BYTES = 8 * 1024 ** 2;
/** A stretch of an unpacked part, and what was left of the one before. */
const FIRST_BYTES = 524_288;

/**
 * Reads an XML document unit by unit: `takeUnit` reads one, such as a row or what is between two rows, and gives false
 * where the bytes end inside it; it then gets the same unit again with more bytes. Yields after each stretch, and where
 * `isFull` says so after a unit: a few bytes may name a long text many times.
 */
export async function* scanUnits(
  chunks: AsyncIterable<Buffer>,
  xml: XmlScanner,
  takeUnit: () => boolean,
  isFull: () => boolean = () => false,
): AsyncGenerator<void> {
  // One buffer for the whole document: a new one for each stretch would wait for the garbage collector.
  let held = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let heldBytes = 0;
  let isFirst = true;
  let wanted = 0;
  /** False if it stopped before the end of the bytes. */
  const scan = (): boolean => {
    xml.bytes = held.subarray(0, heldBytes);
    xml.at = 0;
    if (isFirst) xml.checkBeginning();
    isFirst = false;
    let at = 0;
    let { depth } = xml;
    let isDone = true;
    while (isDone && takeUnit()) {
      at = xml.at;
      depth = xml.depth;
      isDone = !isFull();
    }
    xml.depth = depth;
    if (!isUtf8(xml.bytes.subarray(0, at))) throw xml.fault("it is not UTF-8");
    const rest = heldBytes - at;
    if (rest > MOST_UNIT_BYTES) throw xml.fault("one row or text in it is longer than 8 MiB");
    held.copyWithin(0, at, heldBytes);
    heldBytes = rest;
    xml.bytes = held.subarray(0, rest);
    xml.at = 0;
    // A unit that is longer than what is there is looked at again when there is twice as much.
    wanted = isDone ? 2 * rest : 0;
    return isDone;
  };
  for await (const chunk of chunks) {
    if (heldBytes + chunk.length > held.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (heldBytes + chunk.length));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    chunk.copy(held, heldBytes);
    heldBytes += chunk.length;
    if (heldBytes < wanted) continue;
    while (!scan()) yield;
    yield;
  }
  while (!scan()) yield;
  xml.checkEnd();
  yield;
}
