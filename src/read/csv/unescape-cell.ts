import type { CsvGrammar } from "./csv-grammar.ts";

const BACKSLASH = 0x5c;

/**
 * Writes the text of a quoted cell to `target`, which is as long at least; returns how many bytes it has. `start` and
 * `end` are inside the quotes. A pair of quotes is one quote (RFC 4180 section 2), and what follows a backslash stands for itself where
 * backslashes escape.
 */
export function unescapeCell(
  { quote, isBackslashEscape }: CsvGrammar,
  bytes: Buffer,
  start: number,
  end: number,
  target: Buffer,
): number {
  const escape = isBackslashEscape ? BACKSLASH : quote;
  let to = 0;
  for (let at = start; at < end; at++) {
    if (bytes[at] === escape && at + 1 < end) at += 1;
    target[to++] = bytes[at]!;
  }
  return to;
}
