// Rows whose cells are stretches of bytes, as the caller writes them into memory.

/** A row: number of its first cell, or -1 if it needs a closer look; line; start in two halves; bytes. */
export const ROW_BYTES: usize = 20;

/** Marks of cells. */
export const ESCAPED: i32 = 2;
export const NO_TEXT: i32 = 4;

/** The kinds of fields. */
export const TEXT: i32 = 0;
export const KEY: i32 = 1;
export const DIGITS: i32 = 2;
export const DATE: i32 = 3;
export const AMOUNT: i32 = 4;

/** Why rows are not gone through to the end. */
export const DONE: i32 = 0;
export const CLOSER_LOOK: i32 = 1;
export const NEW_DATE: i32 = 2;
export const NO_ROOM: i32 = 3;

export let bytes: usize = 0;
export let starts: usize = 0;
export let ends: usize = 0;
export let marks: usize = 0;
export let rows: usize = 0;

/** `starts_`, `ends_`, `marks_`: where those of cell 0 are, or would be. */
export function setRows(bytes_: usize, starts_: usize, ends_: usize, marks_: usize, rows_: usize): void {
  bytes = bytes_;
  starts = starts_;
  ends = ends_;
  marks = marks_;
  rows = rows_;
}
