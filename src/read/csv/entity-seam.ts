import { QUOTED } from "../../model/rows.ts";
import type { Dialect } from "../../model/reading.ts";
import type { ByteCells } from "../rows.ts";

// In a file with `;`, `Caf&eacute; du Port` without quotes is read as two cells: the first ends in an entity that lacks its `;`.

const AMPERSAND = 0x26;
/** The longest are `&#x1F600` and `&lsaquo`. */
const LONGEST = 9;
/** A number, a letter with an accent, or another sign of Latin-1. A list, so that `R&D` and `Dupont&fils` are none. */
const ENTITY =
  /^&(?:#\d{2,6}|#[Xx][\dA-Fa-f]{2,6}|[A-Za-z]{1,2}(?:acute|caron|cedil|circ|grave|lig|ring|slash|tilde|uml)|amp|apos|bdquo|bull|cent|copy|deg|eth|ETH|euro|frac[13][24]|gt|hellip|iexcl|iquest|laquo|ldquo|lsaquo|lsquo|lt|mdash|micro|middot|nbsp|ndash|ordf|ordm|para|plusmn|pound|quot|raquo|rdquo|reg|rsaquo|rsquo|sbquo|sect|shy|sup[123]|thorn|THORN|times|trade|yen)$/;

/** True for files in which an entity without quotes ends its cell. */
export function mayCutEntities({ delimiter }: Pick<Dialect, "delimiter">, isSheet: boolean): boolean {
  return delimiter === ";" && !isSheet;
}

/** True if an entity may be among the cells: most files have no `&`. */
export function mayHoldEntities({ bytes }: ByteCells): boolean {
  return bytes.includes(AMPERSAND);
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
