import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";

/*
 * The form that the book of a table and the journal of a run share.
 *
 * A log is lines of UTF-8. A line is eight hex digits, a space, one JSON object and a line feed. The object begins with `n`, the
 * number of the line, and `fence`, that of the table's lock which its writer held; the rest is the entry. The digits are a
 * CRC-32 that continues from line to line, so that a line that was changed, lost, added or moved is noticed, and every line
 * after it as well.
 *
 * A tail without a line feed was cut off by a crash: its write never finished, so nothing was done that relied on it. Any other
 * damage is a failure.
 */

/** A line as others refer to it: its number, counted from 1, and the checksum of all lines up to it. */
export interface LineName {
  readonly number: number;
  readonly sum: number;
}

/** Where a log ends, counting whole lines only; `number` and `sum` are 0 as long as it is empty. */
export interface LogEnd extends LineName {
  readonly bytes: number;
}

export const EMPTY_LOG: LogEnd = { bytes: 0, number: 0, sum: 0 };

/** How the lines of a log are judged. */
export interface LogReader<Entry> {
  /** Takes the entries in order; `fence` is that of the line. */
  readonly take: (entry: Entry, line: LineName, fence: number) => void;
  /** Throws the failure for a line that is not as it was written; `how` continues "this line". */
  readonly damaged: (line: number, how: string) => Error;
}

const LINE_FEED = 0x0a;
/** The book of a thousand runs is read at once. */
const READ_BYTES = 1 << 20;
const SUM_CHARS = 9;

/** One line of a log, and the checksum up to it. */
export function spellLine(
  { number, fence, entry }: { readonly number: number; readonly fence: number; readonly entry: object },
  sumBefore: number,
): { readonly line: string; readonly sum: number } {
  const text = JSON.stringify({ n: number, fence, ...entry });
  const sum = crc32(text, sumBefore);
  return { line: `${hex(sum)} ${text}\n`, sum };
}

/** Reads the lines of an open log after `from`, in constant memory; returns where the next line goes. */
export async function readLog<Entry>(
  handle: FileHandle,
  { take, damaged }: LogReader<Entry>,
  from: LogEnd = EMPTY_LOG,
): Promise<LogEnd> {
  let { bytes, number, sum } = from;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of handle.createReadStream({
    autoClose: false,
    start: bytes,
    highWaterMark: READ_BYTES,
  })) {
    let start = 0;
    const held: Buffer = Buffer.concat([rest, chunk as Buffer]);
    for (let end = held.indexOf(LINE_FEED); end >= 0; end = held.indexOf(LINE_FEED, start)) {
      const line = held.subarray(start, end);
      const own = sumLine(line, sum);
      const read = readLine(line);
      if (own === undefined) throw damaged(number + 1, reasonFor(read, number + 1));
      if (read === undefined) throw damaged(number + 1, "holds no entry");
      if (read.number !== number + 1) throw damaged(number + 1, `has the number ${read.number}`);
      number += 1;
      sum = own;
      take(read.entry as Entry, { number, sum }, read.fence);
      bytes += end + 1 - start;
      start = end + 1;
    }
    rest = held.subarray(start);
  }
  // A crash cuts a line off; it does not put another byte in the place of the line feed.
  if (sumLine(rest.subarray(0, -1), sum) !== undefined)
    throw damaged(number + 1, "has another byte in the place of its line feed");
  return { bytes, number, sum };
}

/** The checksum up to and including this line; `undefined` if it does not match the line (without its line feed). */
function sumLine(line: Buffer, sumBefore: number): number | undefined {
  const sum = crc32(line.subarray(SUM_CHARS), sumBefore);
  return line.toString("latin1", 0, SUM_CHARS) === `${hex(sum)} ` ? sum : undefined;
}

interface ReadLine {
  readonly number: number;
  readonly fence: number;
  readonly entry: object;
}

/** The content of a line; `undefined` if it cannot be read. */
function readLine(line: Buffer): ReadLine | undefined {
  try {
    const { n, fence, ...entry } = JSON.parse(line.toString("utf8", SUM_CHARS)) as {
      readonly n: number;
      readonly fence: number;
    };
    return { number: n, fence, entry };
  } catch {
    return undefined;
  }
}

function reasonFor(line: ReadLine | undefined, expected: number): string {
  return line !== undefined && line.number !== expected
    ? `is line ${line.number}: lines were lost, added or moved`
    : "does not match its checksum";
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
