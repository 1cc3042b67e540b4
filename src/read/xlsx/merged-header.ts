import type { MergedRange } from "./merged-cells.ts";

/** A header of merged cells is looked for in this many rows from the top. */
export const HEADER_ROWS = 40;
/** A taller one is a form. */
const MOST_TALL = 4;

/** A text, `undefined` for a blank cell, `null` for one that holds something else. */
export type HeadCell = string | null | undefined;

/** A header whose cells are merged over several rows, as one row. */
export interface MergedHeader {
  readonly top: number;
  readonly bottom: number;
  /** By column; `""` for one without a name. */
  readonly names: readonly string[];
  /** The titles, and the headings of several columns that no name holds. */
  readonly leftOut: readonly string[];
}

/**
 * Finds the header of a sheet that is merged over rows, or stands below headings that are merged over columns and tell equal
 * names apart. `rows` are those of the top, from the first on. It is a header only where nothing else can be meant: above
 * it are titles at most, all filled cells above its last row are merged, and all cells of that row are texts.
 */
export function findMergedHeader(
  rows: readonly (readonly HeadCell[])[],
  ranges: readonly MergedRange[],
): MergedHeader | undefined {
  for (let top = 1; top <= Math.min(rows.length, HEADER_ROWS); top++) {
    const own = ranges.filter((range) => range.top === top);
    const isTitle = own.some(({ bottom, left, right }) => bottom > top && right > left);
    if (!isTitle && own.length > 0) {
      const tallest = Math.max(...own.map(({ bottom }) => bottom));
      const found = readHeader(rows, ranges, top, Math.max(tallest, top + 1));
      // Headings alone make one header of two rows only where they are needed.
      if (found !== undefined && (tallest > top || found.isNeeded)) return found.header;
    }
    // More than a title: the header is here, or there is none.
    if (filled(rows[top - 1]).length > 1) return undefined;
  }
  return undefined;
}

function readHeader(
  rows: readonly (readonly HeadCell[])[],
  ranges: readonly MergedRange[],
  top: number,
  bottom: number,
): { header: MergedHeader; isNeeded: boolean } | undefined {
  const inside = ranges.filter((range) => range.top >= top && range.top <= bottom);
  if (bottom - top >= MOST_TALL || bottom > rows.length) return undefined;
  // One that goes on below belongs to rows of data.
  if (inside.some((range) => range.bottom > bottom)) return undefined;
  const width = Math.max(
    ...rows.slice(top - 1, bottom).map(({ length }) => length),
    ...inside.map(({ right }) => right + 1),
  );
  const paths = Array.from({ length: width }, (_, column) => pathOf(rows, inside, column, top, bottom));
  if (paths.length < 2 || paths.includes(undefined)) return undefined;
  const known = paths as readonly (readonly string[])[];
  const last = known.map((path) => path.at(-1) ?? "");
  const isRepeated = last.map((name) => name !== "" && last.indexOf(name) !== last.lastIndexOf(name));
  const names = known.map((path, at) => (isRepeated[at] === true ? path.join(" ") : last[at]!));
  const leftOut = new Set(known.flatMap((path, at) => (isRepeated[at] === true ? [] : path.slice(0, -1))));
  for (const [at, path] of known.entries())
    if (isRepeated[at] === true) for (const name of path) leftOut.delete(name);
  const isNeeded = isRepeated.includes(true) && new Set(names).size === names.length;
  const titles = rows.slice(0, top - 1).flatMap((row) => filled(row).map((cell) => cell ?? "..."));
  return { header: { top, bottom, names, leftOut: [...titles, ...leftOut] }, isNeeded };
}

/** The texts of a column from top to bottom, the last being its name; `undefined` if a cell forbids a header. */
function pathOf(
  rows: readonly (readonly HeadCell[])[],
  ranges: readonly MergedRange[],
  column: number,
  top: number,
  bottom: number,
): readonly string[] | undefined {
  const path: string[] = [];
  for (let row = top; row <= bottom; row++) {
    const range = ranges.find(
      (one) => one.top <= row && row <= one.bottom && one.left <= column && column <= one.right,
    );
    // The cells of a range are one, which is read at its top.
    if (range !== undefined && range.top < row) {
      if (row === bottom && path.length === 0) path.push("");
      continue;
    }
    const cell = range === undefined ? rows[row - 1]?.[column] : rows[range.top - 1]?.[range.left];
    if (cell === null) return undefined;
    if (row < bottom && range === undefined && cell !== undefined) return undefined;
    // Columns that are merged in the last row would have one name.
    if (row === bottom && range !== undefined && range.right > range.left) return undefined;
    if (cell !== undefined) path.push(cell.trim());
    else if (row === bottom) path.push("");
  }
  return path;
}

function filled(row: readonly HeadCell[] | undefined): readonly HeadCell[] {
  return row?.filter((cell) => cell !== undefined) ?? [];
}
