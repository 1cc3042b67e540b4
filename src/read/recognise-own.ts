import { markerColumns, ROWS_KINDS, type RowsKind } from "../model/marker-columns.ts";
import type { Source } from "./source/source.ts";

/** The header of a file that rec-push wrote is within this many bytes. */
const HEAD_BYTES = 65_536;

/** A file of rows that rec-push wrote. */
export interface OwnFile {
  readonly kind: RowsKind;
  /** For rows in doubt: their run. */
  readonly run: string | undefined;
}

/** A file of rows that rec-push wrote, recognised by its marker columns; `undefined` for any other file. */
export async function recogniseOwn(source: Source): Promise<OwnFile | undefined> {
  // Its rows are written as CSV.
  if (source.readSheet !== undefined) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source.open()) {
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes >= HEAD_BYTES) break;
  }
  // The names are ASCII, so they are also found in UTF-16 once its zeros are removed.
  const head = Buffer.concat(pieces).toString("latin1", 0, HEAD_BYTES).replaceAll("\0", "");
  const kind = ROWS_KINDS.find(
    (one) =>
      head.includes(markerColumns(one)[0]!) && (isJson(head) ? hasMembers(head, one) : hasHeader(head, one)),
  );
  return kind && { kind, run: /\bof the run (\S+) \(doubt /.exec(head)?.[1] };
}

function isJson(head: string): boolean {
  return /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)?\s*[[{]/.test(head);
}

function hasMembers(head: string, kind: RowsKind): boolean {
  const [line, ...others] = markerColumns(kind).map((name) => new RegExp(`"${name}"\\s*:`));
  return line!.test(head) && others.some((name) => name.test(head));
}

/**
 * A header is one line with the first of these columns and another one, so that a text which only mentions one does not
 * count.
 */
function hasHeader(head: string, kind: RowsKind): boolean {
  const [line, ...others] = markerColumns(kind).map((name) => new RegExp(`(?<!\\w)${name}(?!\\w)`));
  return head.split(/[\r\n]+/).some((text) => line!.test(text) && others.some((name) => name.test(text)));
}
