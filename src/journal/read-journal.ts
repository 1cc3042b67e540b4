import type { FileHandle } from "node:fs/promises";
import type { JournalEntry } from "./journal-entry.ts";
import { journalDamaged, journalNewer, journalReplaced } from "./journal-fault.ts";
import { readLine, sumLine, type JournalEnd, type JournalLine, type LineName } from "./journal-line.ts";
import { JOURNAL_VERSION } from "./run-facts.ts";
import { openOwnFile } from "../state/own-file.ts";

const LINE_FEED = 0x0a;

/**
 * Passes the entries of a journal to `take`, in order and in constant memory; returns where the next line goes. A
 * last line without a line feed was cut off by a crash: its write never finished, so nothing was done that relied on
 * it. Any other damage throws, naming the line.
 */
export async function readJournal(
  path: string,
  take: (entry: JournalEntry, line: LineName) => void,
): Promise<JournalEnd> {
  const reader = new LineReader(path);
  let bytes = 0;
  let rest: Buffer = Buffer.alloc(0);
  const handle = await openJournal(path);
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      let from = 0;
      const held: Buffer = Buffer.concat([rest, chunk as Buffer]);
      for (let to = held.indexOf(LINE_FEED); to >= 0; to = held.indexOf(LINE_FEED, from)) {
        const entry = reader.read(held.subarray(from, to));
        take(entry, { number: reader.lines, sum: reader.sum });
        bytes += to + 1 - from;
        from = to + 1;
      }
      rest = held.subarray(from);
    }
  } finally {
    await handle.close();
  }
  reader.judgeRest(rest);
  return { bytes, lines: reader.lines, sum: reader.sum };
}

async function openJournal(path: string): Promise<FileHandle> {
  try {
    return await openOwnFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A socket cannot be opened.
    throw code === undefined || code === "ENXIO" ? journalReplaced(path, cause) : cause;
  }
}

/** Reads the lines of one journal in order. */
class LineReader {
  lines = 0;
  sum = 0;
  readonly #path: string;
  #fence: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(bytes: Buffer): JournalEntry {
    const number = this.lines + 1;
    const sum = sumLine(bytes, this.sum);
    const line = readLine(bytes);
    if (sum === undefined) throw journalDamaged(this.#path, number, reasonFor(line, number));
    if (line === undefined) throw journalDamaged(this.#path, number, "holds no entry");
    this.#judge(line, number);
    this.lines = number;
    this.sum = sum;
    return line.entry;
  }

  /** A crash cuts a line off; it does not put another byte in place of the line feed. */
  judgeRest(rest: Buffer): void {
    if (sumLine(rest.subarray(0, -1), this.sum) === undefined) return;
    throw journalDamaged(this.#path, this.lines + 1, "has another byte in the place of its line feed");
  }

  #judge({ number, fence, entry }: JournalLine, expected: number): void {
    if (entry.entry === "run" || entry.entry === "begin") {
      const { version } = entry.entry === "run" ? entry.facts : entry;
      if (version > JOURNAL_VERSION) throw journalNewer(this.#path);
      this.#fence = fence;
    }
    if (number !== expected) throw journalDamaged(this.#path, expected, `has the number ${number}`);
    if (fence !== this.#fence)
      throw journalDamaged(this.#path, expected, "was written by a process that had lost the table's lock");
  }
}

function reasonFor(line: JournalLine | undefined, expected: number): string {
  return line !== undefined && line.number !== expected
    ? `is line ${line.number}: lines were lost, added or moved`
    : "does not match its checksum";
}
