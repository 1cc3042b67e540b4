import type { Cell } from "../../model/row.ts";

/** Line ends (LF, CRLF, CR) inside the cells of one row: so many physical lines it goes on for. */
export function countLineEnds(cells: readonly Cell[]): number {
  let count = 0;
  for (const cell of cells) {
    if (typeof cell === "string" && /[\r\n]/.test(cell)) count += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return count;
}
