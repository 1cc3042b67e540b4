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

/** Why the last call stopped before its end. */
export let reason: i32 = 0;
/** With NEW_DATE: the cell, and the field's number. */
export let dateCell: i32 = 0;
export let dateField: i32 = 0;

/** Notes why a call stops. */
export function stopFor(why: i32): void {
  reason = why;
}

/** Notes the date at which a call stops. */
export function stopAtDate(cell: i32, field: i32): i32 {
  dateCell = cell;
  dateField = field;
  return NEW_DATE;
}

/** True if the cells of a row in the columns that are listed from `columns` to `end` are empty. */
export function areEmpty(firstCell: i32, columns: usize, end: usize): bool {
  for (let column = columns; column < end; column += 4) {
    const cell = usize(firstCell + load<i32>(column)) << 2;
    if (load<i32>(starts + cell) != load<i32>(ends + cell)) return false;
  }
  return true;
}
