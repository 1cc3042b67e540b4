import type { Dialect } from "../../model/reading.ts";
import { QUOTED } from "../../model/row.ts";
import type { CsvCells } from "./csv-cells.ts";
import type { CsvRow } from "./csv-row.ts";
import type { CsvRows } from "./csv-rows.ts";

// In a file with `;`, `Caf&eacute; du Port` without quotes is read as two cells: the first ends in an entity that lacks its `;`.

const AMPERSAND = 0x26;
/** The longest are `&#x1F600` and `&lsaquo`. */
const LONGEST = 9;
/** A number, a letter with an accent, or another sign of Latin-1. A list, so that `R&D` and `Dupont&fils` are none. */
const ENTITY =
  /^&(?:#\d{2,6}|#[Xx][\dA-Fa-f]{2,6}|[A-Za-z]{1,2}(?:acute|caron|cedil|circ|grave|lig|ring|slash|tilde|uml)|amp|apos|bdquo|bull|cent|copy|deg|eth|ETH|euro|frac[13][24]|gt|hellip|iexcl|iquest|laquo|ldquo|lsaquo|lsquo|lt|mdash|micro|middot|nbsp|ndash|ordf|ordm|para|plusmn|pound|quot|raquo|rdquo|reg|rsaquo|rsquo|sbquo|sect|shy|sup[123]|thorn|THORN|times|trade|yen)$/;

/** True for files in which an entity without quotes ends its cell. */
export function mayCutEntities({ delimiter, isSheet }: Pick<Dialect, "delimiter" | "isSheet">): boolean {
  return delimiter === ";" && isSheet !== true;
}

/** True for a row with a cell that ends in an entity without its `;`, before another cell. */
export function isCutInEntity({ spans, firstCell, width }: CsvRow): boolean {
  for (let cell = firstCell; cell < firstCell + width - 1; cell++) {
    const end = spans.ends[cell]!;
    const from = Math.max(spans.starts[cell]!, end - LONGEST);
    for (let at = from; at < end; at++)
      if (spans.bytes[at] === AMPERSAND && endsInEntity(spans, cell, at)) return true;
  }
  return false;
}

/** The numbers of all such rows, each with the index of the cell in the row. A file without `&` costs one look at its bytes. */
export function findCutRows(rows: CsvRows): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const last = rows.length - 1;
  if (last < 0) return found;
  const { cells } = rows;
  const count = rows.firstCell(last) + rows.width(last);
  for (let at = next(cells, 0); at !== -1; at = next(cells, at + 1)) {
    const cell = findLast(count, (index) => cells.starts[index]! <= at);
    if (!endsInEntity(cells, cell, at)) continue;
    const row = findLast(rows.length, (index) => rows.firstCell(index) <= cell);
    const index = cell - rows.firstCell(row);
    if (index >= 0 && index < rows.width(row) - 1 && !found.has(row)) found.set(row, index);
  }
  return found;
}

function next({ bytes }: CsvCells, from: number): number {
  return bytes.indexOf(AMPERSAND, from);
}

function endsInEntity({ bytes, ends, marks }: CsvCells, cell: number, at: number): boolean {
  const end = ends[cell]!;
  if (end - at > LONGEST || (marks[cell]! & QUOTED) !== 0) return false;
  return ENTITY.test(bytes.toString("latin1", at, end));
}

/** The last number below `count` for which it is true; it is true up to there. */
function findLast(count: number, isTrue: (index: number) => boolean): number {
  let [from, to] = [0, count];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (isTrue(middle)) from = middle;
    else to = middle;
  }
  return from;
}
