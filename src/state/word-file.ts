import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { RecPushError } from "../model/failure.ts";
import { readOwnFile } from "./own-file.ts";
import { syncDirectory } from "./sync-directory.ts";
import { cannotUse } from "./state-directory.ts";

const SUM = /^[0-9a-f]{8} $/;
const SUM_CHARS = 9;

/** A line of a file of words. */
interface Line {
  readonly text: string;
  /** It has a line feed of its own before and after it; any other one was cut off by a crash, even if it happens to be whole. */
  readonly isWhole: boolean;
}

/**
 * The words that were added to a file, in order; none if it is not there. Each is a line between two line feeds of its own:
 * eight hex digits of a CRC-32, and JSON with the number `n` of the word. Words of earlier versions are JSON alone. What a
 * crash cut off does not count: nothing relied on it. Throws a machine error if a word was changed, lost or moved.
 */
export async function readWords<Word>(path: string): Promise<readonly Word[]> {
  const words: Word[] = [];
  let last = 0;
  for (const [at, { text, isWhole }] of (await readLines(path)).entries()) {
    const damaged = (how: string): RecPushError => wordDamaged(path, at + 1, how);
    if (!isWhole) {
      if (isSummed(text.slice(0, -1))) throw damaged("has another byte in the place of its line feed");
      continue;
    }
    const isOld = text.startsWith("{");
    if (!isOld && !isSummed(text)) throw damaged("does not fit its sum");
    const { n, word } = parse(isOld ? text : text.slice(SUM_CHARS)) ?? {};
    if (word === undefined) throw damaged("holds no word");
    // Of two processes that add a word at one time both may have seen the same last one.
    if (n !== undefined && (n > words.length + 1 || n < last))
      throw damaged(`is word ${n}: words were lost, added or moved`);
    last = n ?? last;
    words.push(word as Word);
  }
  return words;
}

/** Like {@link readWords}, for those who look through the files of many tables: a damaged one is left to its own table. */
export async function readIntactWords<Word>(path: string): Promise<readonly Word[]> {
  try {
    return await readWords<Word>(path);
  } catch (error) {
    if (error instanceof RecPushError) return [];
    throw error;
  }
}

/** How many words a file holds, damaged ones too; 0 if it is not there. */
async function countWords(path: string): Promise<number> {
  return (await readLines(path)).filter(({ isWhole }) => isWhole).length;
}

/** Adds a word to a file (0600); it is on disk when this resolves. */
export async function appendWord(path: string, word: object): Promise<void> {
  try {
    const n = (await countWords(path)) + 1;
    const handle = await open(path, "a", 0o600);
    try {
      await handle.appendFile(spellWord(n, word));
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw cause instanceof RecPushError ? cause : cannotUse(path, cause);
  }
}

/** A word as its file holds it; the first line feed ends a line that a crash cut off. */
function spellWord(n: number, word: object): string {
  const text = JSON.stringify({ n, ...word });
  return `\n${hex(crc32(text))} ${text}\n`;
}

async function readLines(path: string): Promise<readonly Line[]> {
  try {
    const lines = (await readOwnFile(path)).split("\n");
    return lines.flatMap((text, at) => (text === "" ? [] : [{ text, isWhole: lines[at + 1] === "" }]));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cannotUse(path, cause);
  }
}

function isSummed(text: string): boolean {
  const sum = text.slice(0, SUM_CHARS);
  return SUM.test(sum) && sum === `${hex(crc32(text.slice(SUM_CHARS)))} `;
}

function parse(text: string): { readonly n: number | undefined; readonly word: object } | undefined {
  try {
    const { n, ...word } = JSON.parse(text) as { readonly n?: number };
    return { n, word };
  } catch {
    return undefined;
  }
}

function wordDamaged(path: string, line: number, how: string): RecPushError {
  return new RecPushError(
    "machine",
    "state-directory",
    `the state directory is damaged: line ${line} of ${path} ${how}; nothing was sent, because records could be created twice`,
    {
      hint: [
        "restore the state directory from a backup, then run the same command again",
        `or remove that file: rm ${path}`,
        "  then the same command tells what no other part of the state directory knows",
      ].join("\n"),
    },
  );
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
