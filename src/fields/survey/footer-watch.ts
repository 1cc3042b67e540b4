import type { Cell, Row } from "../../model/row.ts";
import { cellText } from "../cell-text.ts";
import { isBlank, trimSpaces } from "../spaces.ts";

/** More rows of totals than these are not looked for. */
export const MOST_FOOTER_ROWS = 3;

// Total, Grand total, Sous-total, Subtotal, Totaux, Total général, Gesamtsumme, Zwischensumme, Summe, Totale, Totaal, Totais ...
const LABEL =
  /^(?:(?:grand|sous|sub)[ -]?)?(?:tota(?:l|ux|le|li|les|al|is)|subtotal(?:es)?|subtotale|subtotaal|subtotais|(?:gesamt|zwischen|end)?summe|gesamt(?:betrag)?|insgesamt|totalen|eindtotaal|suma|soma|somma|somme)(?![\p{L}\p{N}])/iu;

/** The rows at the end that look like totals, and why. */
export interface Footer {
  readonly rows: readonly Row[];
  /** Position of a column that they leave blank and all rows before them fill, by row. */
  readonly blankColumns: readonly number[];
}

/** Watches the rows of one input for totals at its end; holds a few rows, whatever the length. */
export class FooterWatch {
  #tail: Row[] = [];
  /** Columns that no row before the tail leaves blank. */
  #full: readonly number[] | undefined;
  #lastProblemLine = 0;

  /** `full`: the columns that no row leaves blank that was seen elsewhere before; `undefined` without any. */
  constructor(full?: readonly number[]) {
    this.#full = full;
  }

  /** Takes the next rows in file order. `problemLine` is the last line among them that could not be read. */
  add(rows: readonly Row[], problemLine = 0): void {
    this.#lastProblemLine = Math.max(this.#lastProblemLine, problemLine);
    const keep = Math.min(MOST_FOOTER_ROWS, rows.length);
    if (keep < MOST_FOOTER_ROWS) {
      for (const row of rows) {
        this.#tail.push(row);
        if (this.#tail.length > MOST_FOOTER_ROWS) this.#see(this.#tail.shift()!);
      }
      return;
    }
    for (const row of this.#tail) this.#see(row);
    for (let at = 0; at < rows.length - keep; at++) this.#see(rows[at]!);
    this.#tail = rows.slice(-keep);
  }

  /** The last rows. */
  get held(): readonly Row[] {
    return this.#tail;
  }

  /** Judges the end. `isSum` says whether the last row holds the sum of a column. */
  finish(isSum: (row: Row) => boolean): Footer {
    const rows = this.#tail;
    const last = rows.at(-1);
    if (last === undefined || last.line < this.#lastProblemLine) return { rows: [], blankColumns: [] };
    let count = 0;
    while (count < rows.length && findLabel(rows[rows.length - 1 - count]!) !== undefined) count++;
    if (count === 0 && isSum(last)) count = 1;
    const body = rows.slice(0, rows.length - count);
    if (body.length === 0 && this.#full === undefined) return { rows: [], blankColumns: [] };
    const full = body.reduce((columns: readonly number[], row, at) => {
      if (at === 0 && this.#full === undefined) return filledColumns(row);
      return columns.filter((column) => !isBlankAt(row, column));
    }, this.#full ?? []);
    const found: Row[] = [];
    const blankColumns: number[] = [];
    for (const row of rows.slice(rows.length - count).toReversed()) {
      const blank = full.find((column) => isBlankAt(row, column));
      if (blank === undefined) break;
      found.unshift(row);
      blankColumns.unshift(blank);
    }
    return { rows: found, blankColumns };
  }

  #see(row: Row): void {
    if (this.#full === undefined) {
      this.#full = filledColumns(row);
      return;
    }
    for (const column of this.#full) {
      if (isBlankAt(row, column)) {
        this.#full = this.#full.filter((other) => !isBlankAt(row, other));
        return;
      }
    }
  }
}

/** The word for a total with which a row begins. */
export function findLabel({ cells }: Row): string | undefined {
  const first = cells.find((cell) => !isBlankCell(cell));
  const text = first === undefined ? undefined : cellText(first);
  if (text === undefined) return undefined;
  const trimmed = trimSpaces(text);
  return LABEL.test(trimmed) ? trimmed : undefined;
}

function filledColumns(row: Row): number[] {
  return row.cells.flatMap((_, column) => (isBlankAt(row, column) ? [] : [column]));
}

// Hardly any cell begins with a space: most are told by their first byte, before they are text.
function isBlankAt(row: Row, column: number): boolean {
  const { spans, firstCell = 0 } = row;
  if (spans === undefined) return isBlankCell(row.cells[column]);
  const start = spans.starts[firstCell + column]!;
  const first = spans.bytes[start]!;
  const isFilled = start < spans.ends[firstCell + column]! && first > 0x20 && first < 0x80;
  return !isFilled && isBlankCell(row.cells[column]);
}

function isBlankCell(cell: Cell): boolean {
  if (typeof cell === "string") {
    // Hardly any cell begins with a space: most are told by their first character.
    const first = cell.charCodeAt(0);
    return !(first > 0x20 && first < 0xa0) && isBlank(cell);
  }
  return cell === undefined || cell === null;
}
