import { crc32 } from "node:zlib";
import type { JournalEntry } from "./journal-entry.ts";

/** Where a journal ends, counting whole lines only. */
export interface JournalEnd {
  readonly bytes: number;
  readonly lines: number;
  /** The checksum of the last line. */
  readonly sum: number;
}

/** The content of a line. */
export interface JournalLine {
  /** Counted from 1. */
  readonly number: number;
  /** The fence of the table's lock that its writer held. */
  readonly fence: number;
  readonly entry: JournalEntry;
}

/** A line as others refer to it: its number, and the checksum of all lines up to it. */
export type LineName = Pick<JournalEnd, "sum"> & { readonly number: number };

const SUM_CHARS = 9;

/**
 * One line of a journal: eight hex digits of a CRC-32, then number, fence and entry as one JSON object. The checksum
 * of a line includes that of the line before, so that a line that was changed, lost, added or moved is noticed, and
 * every line after it as well.
 */
export function writeLine(
  { number, fence, entry }: JournalLine,
  sumBefore: number,
): { readonly line: string; readonly sum: number } {
  const text = JSON.stringify({ n: number, fence, ...entry });
  const sum = crc32(text, sumBefore);
  return { line: `${hex(sum)} ${text}\n`, sum };
}

/** The checksum up to and including this line; `undefined` if it does not match the line (without its line feed). */
export function sumLine(line: Buffer, sumBefore: number): number | undefined {
  const sum = crc32(line.subarray(SUM_CHARS), sumBefore);
  return line.toString("latin1", 0, SUM_CHARS) === `${hex(sum)} ` ? sum : undefined;
}

/** The content of a line; `undefined` if it cannot be read. */
export function readLine(line: Buffer): JournalLine | undefined {
  try {
    const { n, fence, ...entry } = JSON.parse(line.toString("utf8", SUM_CHARS)) as JournalEntry & {
      readonly n: number;
      readonly fence: number;
    };
    return { number: n, fence, entry };
  } catch {
    return undefined;
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
