import type { RowsKind } from "../model/marker-columns.ts";
import type { ContentCursor } from "../read/text/content-cursor.ts";
import type { Rejection } from "./rejection.ts";

/** How a file of rows is written, as UTF-8: text is copied from the content, never rebuilt from parsed cells. */
export interface RejectsFormat {
  /** The text above the rows, for a file of each kind; to be asked for first. */
  readonly head: (cursor: ContentCursor) => Promise<(kind: RowsKind) => Buffer>;
  /** One row with its line end, from its text in the content. */
  readonly row: (text: AsyncIterable<Buffer>, kind: RowsKind, rejection: Rejection) => AsyncIterable<Buffer>;
}
