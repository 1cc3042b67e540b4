import type { Dialect } from "../../src/model/reading.ts";

/** One row, read character by character, strictly by the settled dialect. */
export interface SlowRow {
  readonly cells: readonly string[];
  /** Offset after the row's line end. */
  readonly end: number;
}

/** Reads the row that begins at an offset; `undefined` if its quotes have no strict reading. */
export function readSlowRow(text: string, start: number, dialect: Dialect): SlowRow | undefined {
  const { delimiter, quote, escape } = dialect;
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let cell = "";
    if (quote !== "" && text[at] === quote) {
      at += 1;
      for (;;) {
        const character = text[at];
        if (character === undefined) return undefined;
        if (character === escape && (text[at + 1] === quote || (escape === "\\" && text[at + 1] === "\\"))) {
          cell += text[at + 1];
          at += 2;
        } else if (character === quote) {
          at += 1;
          break;
        } else {
          cell += character;
          at += 1;
        }
      }
      // Blanks behind the closing quote are no part of the cell.
      while ((text[at] === " " || text[at] === "\t") && !delimiter.startsWith(text[at]!)) at += 1;
      const isClosed = at === text.length || isLineEnd(text[at]) || text.startsWith(delimiter, at);
      if (!isClosed) return undefined;
    } else {
      const from = at;
      while (at < text.length && !isLineEnd(text[at]) && !text.startsWith(delimiter, at)) at += 1;
      cell = text.slice(from, at);
    }
    cells.push(cell);
    if (at < text.length && text.startsWith(delimiter, at)) at += delimiter.length;
    else return { cells, end: behindLineEnd(text, at) };
  }
}

/** Offsets at which the physical lines begin; the first is 0. */
export function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = 0; at < text.length;) {
    const next = isLineEnd(text[at]) ? behindLineEnd(text, at) : at + 1;
    if (isLineEnd(text[at])) starts.push(next);
    at = next;
  }
  return starts;
}

function isLineEnd(character: string | undefined): boolean {
  return character === "\n" || character === "\r";
}

function behindLineEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1;
}
