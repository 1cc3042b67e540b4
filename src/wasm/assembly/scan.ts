// What is scanned for rows, and where the cells that are found go.

/** The marks of cells that a scan sets. */
export const QUOTED: u8 = 1;

export let bytes: usize = 0;
export let limit: usize = 0;
export let maxRowBytes: usize = 0;

export let starts: usize = 0;
export let ends: usize = 0;
export let marks: usize = 0;
export let maxCells: i32 = 0;
export let rows: usize = 0;

/** The 16 bytes behind the content are 0. */
export function setContent(bytes_: usize, length: i32, maxRowBytes_: i32): void {
  bytes = bytes_;
  limit = length;
  maxRowBytes = maxRowBytes_;
}

export function setCells(starts_: usize, ends_: usize, marks_: usize, maxCells_: i32, rows_: usize): void {
  starts = starts_;
  ends = ends_;
  marks = marks_;
  maxCells = maxCells_;
  rows = rows_;
}

/** Notes a cell; `start` and `end` are those in the content. */
export function putCell(cell: i32, start: usize, end: usize, mark: u8): void {
  const at = usize(cell) << 2;
  store<i32>(starts + at, i32(start));
  store<i32>(ends + at, i32(end));
  store<u8>(marks + cell, mark);
}
