import { crc32 } from "node:zlib";

/**
 * One line of a journal: eight hex digits of a CRC-32 and an entry as JSON text. The sum runs on from line to line, so
 * that a line that was changed, lost, added or moved shows, and the next ones with it.
 */
export function writeLine(text: string, sumBefore: number): { readonly line: string; readonly sum: number } {
  const sum = crc32(text, sumBefore);
  return { line: `${hex(sum)} ${text}\n`, sum };
}

/** The entry's text and the sum so far; `undefined` where the line (without its line feed) is damaged. */
export function readLine(
  line: string,
  sumBefore: number,
): { readonly text: string; readonly sum: number } | undefined {
  const text = line.slice(9);
  const sum = crc32(text, sumBefore);
  return line.slice(0, 9) === `${hex(sum)} ` ? { text, sum } : undefined;
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
