import { type Cell, JsonNumber, NO_TEXT, type RowChunk } from "../../model/rows.ts";
import { ByteCells, type Rows } from "../rows.ts";
import { readFault } from "../xlsx/cell-faults.ts";
import type { CsvGrammar } from "./csv-grammar.ts";

/** The cells of the rows of a CSV, or of a sheet, as a scan finds them. */
export class CsvCells extends ByteCells {
  readonly areRowsAdjacent = true;
  override readonly isSheet: boolean;
  readonly #grammar: CsvGrammar;

  /** `cells`: roughly how many there are. */
  constructor(bytes: Buffer, grammar: CsvGrammar, cells = 0) {
    super(bytes, cells);
    this.#grammar = grammar;
    this.isSheet = grammar.sheetWidth > 0;
  }

  value(cell: number): Cell {
    const text = this.text(cell);
    return (this.marks[cell]! & NO_TEXT) === 0 ? text : readSheetValue(text);
  }

  protected unescape(start: number, end: number): string {
    const text = this.slice(start, end);
    const { quote, isBackslashEscape } = this.#grammar;
    if (isBackslashEscape) return text.replaceAll(/\\(.)/gs, "$1");
    const mark = String.fromCharCode(quote);
    return text.replaceAll(mark + mark, mark);
  }
}

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;

/** The value of a cell of a sheet that is no text, as it is written among the rows. */
function readSheetValue(text: string): Cell {
  const first = text.charCodeAt(0);
  if ((first >= ZERO && first <= NINE) || first === MINUS) return new JsonNumber(text);
  if (text === "true" || text === "false") return text === "true";
  return readFault(text);
}

export type CsvRows = Rows<CsvCells>;

/** A chunk of a CSV. */
export interface CsvChunk extends RowChunk {
  readonly rows: CsvRows;
}
