import { open } from "node:fs/promises";
import { RecPushError } from "../model/failure.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { readLine } from "./journal-line.ts";
import type { JournalEnd } from "./journal-writer.ts";

const LINE_FEED = 0x0a;

/**
 * Hands the entries of a journal to `take`, in order and in flat memory; gives where it goes on. A last line without
 * line feed is what a crash cut off: its write never ended, so nothing was done that relied on it. Any other damage
 * throws, naming the line.
 */
export async function readJournal(path: string, take: (entry: JournalEntry) => void): Promise<JournalEnd> {
  let bytes = 0;
  let sum = 0;
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  const handle = await open(path, "r");
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      let from = 0;
      const held: Buffer = Buffer.concat([rest, chunk as Buffer]);
      for (let to = held.indexOf(LINE_FEED); to >= 0; to = held.indexOf(LINE_FEED, from)) {
        number += 1;
        const read = readLine(held.toString("utf8", from, to), sum);
        if (read === undefined) throw damaged(path, number);
        take(parseEntry(read.text, path, number));
        sum = read.sum;
        bytes += to + 1 - from;
        from = to + 1;
      }
      rest = held.subarray(from);
    }
  } finally {
    await handle.close();
  }
  return { bytes, sum };
}

function parseEntry(text: string, path: string, number: number): JournalEntry {
  try {
    return JSON.parse(text) as JournalEntry;
  } catch {
    throw damaged(path, number);
  }
}

function damaged(path: string, line: number): RecPushError {
  return new RecPushError(
    "machine",
    "journal-damaged",
    `${path}:${line}: this line of the journal is damaged, so what the run has sent is not known for certain`,
    {
      hint: `restore the file from a backup, or look in the service what is there and give the run up with rec-push runs --abandon`,
      place: { file: path, line },
    },
  );
}
