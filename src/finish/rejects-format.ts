import type { ContentCursor } from "../read/text/content-cursor.ts";

/** What is written before the cells of a row, one for each of the columns that are added. */
export type AddedCells = readonly (string | number)[];

/** How a file of rows is written, as UTF-8: text is copied from the content, never rebuilt from parsed cells. */
export interface RejectsFormat {
  /** The text above the rows; to be asked for first. `added`: the names of the columns before those of the input. */
  readonly head: (cursor: ContentCursor, added: readonly string[]) => Promise<Buffer>;
  /** One row with its line end, from its text in the content. */
  readonly row: (text: AsyncIterable<Buffer>, added: AddedCells) => AsyncIterable<Buffer>;
}
