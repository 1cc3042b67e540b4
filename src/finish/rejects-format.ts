import type { ContentCursor } from "../read/text/content-cursor.ts";
import type { RowText } from "./review-rows.ts";
import type { Rejection } from "./rejection.ts";

/** How a rejects file is written, as UTF-8: text is copied out of the content, never made of parsed cells. */
export interface RejectsFormat {
  /** What stands above the rows; to be asked first. */
  readonly head: (cursor: ContentCursor) => Promise<Buffer>;
  /** One row with its line end; rows are asked for in file order. */
  readonly row: (cursor: ContentCursor, text: RowText, rejection: Rejection) => AsyncIterable<Buffer>;
}
