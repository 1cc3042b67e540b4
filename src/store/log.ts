import { createReadStream, ftruncateSync, writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { replaceFile } from "./private-file.ts";

/*
 * The form that the book of a table and the journal of a run share.
 *
 * A log is lines of UTF-8. A line is eight hex digits, a space, one JSON object and a line feed. The object begins with `n`, the
 * number of the line; the rest is the entry. The digits are a
 * CRC-32 that continues from line to line, so that a line that was changed, lost, added or moved is noticed, and every line
 * after it as well.
 *
 * A tail without a line feed was cut off by a crash, or is full of zeros: its write never finished, so nothing was done that
 * relied on it. Any other damage is a failure.
 */

/** The name of a line for references: its number, counted from 1, and the checksum of all lines up to it. */
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
interface LogReader<Entry> {
  /** Takes the entries in order. */
  readonly take: (entry: Entry, line: LineName) => void;
  /** The failure for a line that is not as it was written; `how` continues "this line", `intact` is the end of those before it. */
  readonly damaged: (line: number, how: string, intact: LogEnd) => Error;
}

const LINE_FEED = 0x0a;
/** The book of a thousand runs is read at once. */
const READ_BYTES = 1 << 20;
const SUM_CHARS = 9;

/** Entries as the lines that follow `end`, and where each of them ends. */
export function spellLines(
  entries: readonly object[],
  end: LogEnd = EMPTY_LOG,
): { readonly lines: Buffer; readonly ends: readonly LogEnd[] } {
  let { bytes, number, sum } = end;
  let text = "";
  const ends: LogEnd[] = [];
  for (const entry of entries) {
    number += 1;
    const body = JSON.stringify({ n: number, ...entry });
    sum = crc32(body, sum);
    const line = `${hex(sum)} ${body}\n`;
    bytes += Buffer.byteLength(line);
    text += line;
    ends.push({ bytes, number, sum });
  }
  return { lines: Buffer.from(text), ends };
}

/**
 * Writes entries after `end`: all of them or, as far as the log counts, none. Returns where each of them ends; they are with
 * the operating system then. Throws what node:fs throws. Handing so short a write to another thread would take ten times as
 * long.
 */
export function writeLines(fd: number, end: LogEnd, entries: readonly object[]): readonly LogEnd[] {
  const { lines, ends } = spellLines(entries, end);
  try {
    for (let at = 0; at < lines.length;) at += writeSync(fd, lines, at, lines.length - at, end.bytes + at);
  } catch (cause) {
    dropLines(fd, end);
    throw cause;
  }
  return ends;
}

/** Drops the lines after `end`, as far as that is possible: the next process would accept whole ones. */
export function dropLines(fd: number, end: LogEnd): void {
  try {
    ftruncateSync(fd, end.bytes);
  } catch {
    // What made the write fail counts.
  }
}

/**
 * Puts another file in the place of a log: its lines up to `end`, and more. A process that was paused and has lost the lock cannot
 * write into it when it wakes. `check` throws if this process has lost it. Throws what node:fs throws.
 */
export async function replaceLog(
  path: string,
  end: LogEnd,
  check: () => Promise<void>,
  more: Buffer = Buffer.alloc(0),
): Promise<void> {
  await replaceFile(path, async (draft) => {
    if (end.bytes > 0)
      for await (const part of createReadStream(path, { end: end.bytes - 1 }))
        await draft.appendFile(part as Buffer);
    await draft.appendFile(more);
    await check();
  });
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
      const intact = { bytes, number, sum };
      if (own === undefined) throw damaged(number + 1, "does not match its checksum", intact);
      const { n: _, ...entry } = JSON.parse(line.toString("utf8", SUM_CHARS)) as { readonly n: number };
      take(entry as Entry, { number: number + 1, sum: own });
      number += 1;
      sum = own;
      bytes += end + 1 - start;
      start = end + 1;
    }
    rest = held.subarray(start);
  }
  // A crash cuts a line off, or leaves zeros; it never puts another byte into the place of the line feed.
  if (rest.at(-1) !== 0 && sumLine(rest.subarray(0, -1), sum) !== undefined)
    throw damaged(number + 1, "has another byte in the place of its line feed", { bytes, number, sum });
  return { bytes, number, sum };
}

/** The checksum up to and including this line; `undefined` if it does not match the line (without its line feed). */
function sumLine(line: Buffer, sumBefore: number): number | undefined {
  const sum = crc32(line.subarray(SUM_CHARS), sumBefore);
  return line.toString("latin1", 0, SUM_CHARS) === `${hex(sum)} ` ? sum : undefined;
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
