import type { Dialect } from "../../model/reading.ts";
import { type Cell, JsonNumber, NO_TEXT, QUOTED, type RowChunk } from "../../model/rows.ts";
import { ByteCells, type Rows } from "../rows.ts";
import { readFault } from "../xlsx/cell-faults.ts";
import type { CsvGrammar } from "./scan-row.ts";

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

/** The value of a cell of a sheet that is no text, as written among the rows. */
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

// In a file with `;`, `Caf&eacute; du Port` without quotes is read as two cells: the first ends in an entity that lacks its `;`.

const AMPERSAND = 0x26;
/** The longest are `&#x1F600` and `&lsaquo`. */
const LONGEST = 9;
/** A number, a letter with an accent, or another sign of Latin-1. A list, so that `R&D` and `Dupont&fils` are none. */
const ENTITY =
  /^&(?:#\d{2,6}|#[Xx][\dA-Fa-f]{2,6}|[A-Za-z]{1,2}(?:acute|caron|cedil|circ|grave|lig|ring|slash|tilde|uml)|amp|apos|bdquo|bull|cent|copy|deg|eth|ETH|euro|frac[13][24]|gt|hellip|iexcl|iquest|laquo|ldquo|lsaquo|lsquo|lt|mdash|micro|middot|nbsp|ndash|ordf|ordm|para|plusmn|pound|quot|raquo|rdquo|reg|rsaquo|rsquo|sbquo|sect|shy|sup[123]|thorn|THORN|times|trade|yen)$/;

/** True if an entity without quotes may end its cell: most files have no `&`. */
export function mayCutEntities({ delimiter }: Pick<Dialect, "delimiter">, bytes: Buffer): boolean {
  return delimiter === ";" && bytes.includes(AMPERSAND);
}

/** The index in a row of the first cell that ends in an entity without its `;`, before another cell; -1 if there is none. */
export function findCutCell(cells: ByteCells, firstCell: number, width: number): number {
  for (let index = 0; index < width - 1; index++) if (endsInEntity(cells, firstCell + index)) return index;
  return -1;
}

function endsInEntity({ bytes, starts, ends, marks }: ByteCells, cell: number): boolean {
  if ((marks[cell]! & QUOTED) !== 0) return false;
  const end = ends[cell]!;
  for (let at = Math.max(starts[cell]!, end - LONGEST); at < end; at++)
    if (bytes[at] === AMPERSAND && ENTITY.test(bytes.toString("latin1", at, end))) return true;
  return false;
}
