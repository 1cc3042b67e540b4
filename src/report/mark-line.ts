import type { MarkedCell } from "../model/problem-groups.ts";
import { showText } from "../model/visible-text.ts";
import type { Paint } from "./paint.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

const INDENT = "  ";
const MORE = "…";
/** At least this many columns of the line are shown on both sides of a long cell. */
const LEAST_BESIDE = 8;

/**
 * The line of a file with marks below a cell, for a terminal with this many columns: a long line is cut around the
 * cell.
 */
export function markLine(marked: MarkedCell, columns: number, paint: Pick<Paint, "red">): string[] {
  const show = (text: string): string => showText(text, text.length);
  const room = columns - INDENT.length;
  const cell = cutToWidth(show(marked.cell), Math.max(1, room - 2 * LEAST_BESIDE));
  const beside = room - Math.max(1, textWidth(cell));
  const [before, after] = [show(marked.before), show(marked.after)];
  // The other side gets what one side does not need.
  const half = Math.floor(beside / 2);
  const shownBefore = cutStart(before, Math.max(half, beside - textWidth(after)));
  const shownAfter = cutEnd(after, beside - textWidth(shownBefore));
  const marks = "^".repeat(Math.max(1, textWidth(cell)));
  return [
    `${INDENT}${shownBefore}${cell}${shownAfter}`,
    `${INDENT}${" ".repeat(textWidth(shownBefore))}${paint.red(marks)}`,
  ];
}

function cutEnd(text: string, columns: number): string {
  return columns < 1 ? "" : cutToWidth(text, columns, MORE);
}

/** The end of a text that is too long. */
function cutStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return "";
  let cut = "";
  let width = MORE.length;
  for (const sign of Array.from(text).toReversed()) {
    width += textWidth(sign);
    if (width > columns) break;
    cut = sign + cut;
  }
  return MORE + cut;
}
