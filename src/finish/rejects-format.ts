import type { ContentCursor } from "../read/text/content-cursor.ts";
import type { Rejection } from "./rejection.ts";

/** How a rejects file is written, as UTF-8: text is copied out of the content, never made of parsed cells. */
export interface RejectsFormat {
  /** The text above the rows; to be asked first. */
  readonly head: (cursor: ContentCursor) => Promise<Buffer>;
  /** One row with its line end, from its text in the content. */
  readonly row: (text: AsyncIterable<Buffer>, rejection: Rejection) => AsyncIterable<Buffer>;
}
