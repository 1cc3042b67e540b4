import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { RecPushError } from "../model/failure.ts";
import { cannotUse, readOwnFile, syncDirectory } from "./state-directory.ts";

const SUM = /^[0-9a-f]{8} $/;
const SUM_CHARS = 9;

/** A line of a file of words. */
interface Line {
  readonly text: string;
  /**
   * True if it has its own line feed before and after it; any other line was cut off by a crash, even if it happens
   * to be complete.
   */
  readonly isWhole: boolean;
}

/**
 * The words (entries) that were added to a file, in order; none if the file is missing. Each is a line between two
 * line feeds of its own: eight hex digits of a CRC-32, and JSON with the number `n` of the word. What a crash
 * cut off does not count, because nothing relied on it. Throws a machine error if a word was changed, lost or moved.
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
    if (!isSummed(text)) throw damaged("does not match its checksum");
    const parsed = parse(text.slice(SUM_CHARS));
    if (parsed === undefined) throw damaged("holds no entry");
    const { n, word } = parsed;
    // Two processes that add a word at the same time may both have seen the same last one.
    if (n > words.length + 1 || n < last) throw damaged(`is entry ${n}: entries were lost, added or moved`);
    last = n;
    words.push(word as Word);
  }
  return words;
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

/** A word in the form that its file holds; the first line feed ends a line that a crash cut off. */
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

function parse(text: string): { readonly n: number; readonly word: object } | undefined {
  try {
    const { n, ...word } = JSON.parse(text) as { readonly n: number };
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
        "  then the same command says which facts the rest of the state directory does not know",
      ].join("\n"),
    },
  );
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
