// The cells of many plain rows of a CSV.

import { bytes, limit, maxCells, maxRowBytes, putCell, QUOTED, rows } from "./scan";

/** A row: the byte after its end, and the number of its cells and those before it. */
const ROW_BYTES: usize = 8;

const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const SPACE: u8 = 0x20;

let delimiter: u8 = 0;
let quote: u8 = 0;

/** `quote_`: 0xff if nothing is quoted, which is no byte of UTF-8. */
export function setDialect(delimiter_: i32, quote_: i32): void {
  delimiter = u8(delimiter_);
  quote = u8(quote_);
}

/**
 * Finds the cells of the rows from `from` on, and returns how many rows it found. It ends before a row that needs a
 * closer look: one that may be blank, whose end is not there, or with anything but plain cells and cells in quotes without
 * quotes and line ends in them.
 */
export function scanRows(from: usize, maxRows: i32): i32 {
  let rowStart = from;
  let cellStart = from;
  let isQuoted = false;
  /** Where the closing quote of the current cell is; 0 if there is none. */
  let closed: usize = 0;
  let cells = 0;
  let count = 0;
  if (from >= limit || load<u8>(bytes + from) <= SPACE) return 0;
  const delimiters = i8x16.splat(delimiter);
  const quotes = i8x16.splat(quote);
  const feeds = i8x16.splat(LF);
  const returns = i8x16.splat(CR);
  for (let block = from; block < limit; block += 16) {
    const some = v128.load(bytes + block);
    let mask = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(some, delimiters), i8x16.eq(some, quotes)),
        v128.or(i8x16.eq(some, feeds), i8x16.eq(some, returns)),
      ),
    );
    while (mask != 0) {
      const at = block + ctz(mask);
      mask &= mask - 1;
      if (at >= limit) return count;
      // The second half of a line end.
      if (at < cellStart) continue;
      const code = load<u8>(bytes + at);
      if (isQuoted) {
        if (code == delimiter) continue;
        if (code != quote || at + 1 >= limit) return count;
        const follower = load<u8>(bytes + at, 1);
        if (follower != delimiter && follower != LF && follower != CR) return count;
        isQuoted = false;
        closed = at;
        continue;
      }
      if (code == quote) {
        if (at != cellStart) return count;
        isQuoted = true;
        continue;
      }
      if (cells == maxCells) return count;
      if (closed != 0) {
        putCell(cells, cellStart + 1, closed, QUOTED);
        closed = 0;
      } else {
        putCell(cells, cellStart, at, 0);
      }
      cells += 1;
      cellStart = at + 1;
      if (code == delimiter) continue;
      if (code == CR) {
        if (cellStart >= limit || load<u8>(bytes + cellStart) != LF) return count;
        cellStart += 1;
      }
      if (cellStart - rowStart > maxRowBytes) return count;
      const row = rows + usize(count) * ROW_BYTES;
      store<i32>(row, i32(cellStart));
      store<i32>(row, cells, 4);
      count += 1;
      if (count == maxRows || cellStart >= limit || load<u8>(bytes + cellStart) <= SPACE) return count;
      rowStart = cellStart;
    }
  }
  return count;
}
