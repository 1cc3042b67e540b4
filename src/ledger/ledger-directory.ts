import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RunIdentity } from "../journal/run-facts.ts";
import { cannotUse, type StateDirectory } from "../state/state-directory.ts";
import { appendWord, readWords } from "../state/word-file.ts";
import { syncDirectory } from "../state/sync-directory.ts";

/** The part of a run's identity that a ledger belongs to; the database version is noted in it. */
export type LedgerTarget = Pick<RunIdentity, "url" | "runKey" | "queries">;

/** A target whose ledger is asked, and the addresses that the same table had before (`--same-as`). */
export interface AskedTarget extends LedgerTarget {
  readonly formerUrls?: readonly string[] | undefined;
}

/** A target, and then what it was before, each once. */
export function targetsOf({ formerUrls = [], ...target }: AskedTarget): readonly LedgerTarget[] {
  const asked = new Set<string>();
  return [target.url, ...formerUrls].flatMap((url) => {
    if (asked.has(comparedUrl(url))) return [];
    asked.add(comparedUrl(url));
    return [targetOf({ ...target, url })];
  });
}

/** A word on a file of a ledger: the last one counts. */
interface FileWord {
  readonly file: string;
  /** It was taken out. */
  readonly isStruck?: true;
}

/** The target of a run, or of a command. */
export function targetOf({ url, runKey, queries }: LedgerTarget): LedgerTarget {
  return { url, runKey, ...(queries === undefined ? {} : { queries }) };
}

/** The paths of the files of that name in all ledgers. */
export async function findInLedgers(
  { ledger }: Pick<StateDirectory, "ledger">,
  name: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of await readdir(ledger).catch(() => [])) {
    const files = await knownFiles(join(ledger, directory));
    found.push(...files.filter((path) => basename(path) === name));
  }
  return found;
}

const INDEX = "index";
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An address as ledgers compare it: as a URL (WHATWG), and all names of this machine are one. */
export function comparedUrl(text: string): string {
  const url = new URL(text);
  if (LOOPBACK.test(url.hostname)) url.hostname = "localhost";
  return url.href;
}

/** The directory of a target's ledger. */
export function ledgerDirectory(
  { ledger }: Pick<StateDirectory, "ledger">,
  { url, runKey, queries }: LedgerTarget,
): string {
  const parts = [comparedUrl(url), runKey, queries ?? null];
  return join(ledger, createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32));
}

/** Makes the directory of a ledger, durably. */
export async function makeLedger(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
    await syncDirectory(join(directory, ".."));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cannotUse(directory, cause);
  }
}

/** Notes that a file, which is there whole, belongs to the ledger. */
export async function noteFile(directory: string, file: string): Promise<void> {
  const word: FileWord = { file };
  await appendWord(join(directory, INDEX), word);
}

/** Notes that a file belongs to the ledger no longer; it may be removed then. */
export async function strikeFile(directory: string, file: string): Promise<void> {
  const word: FileWord = { file, isStruck: true };
  await appendWord(join(directory, INDEX), word);
}

/**
 * The paths of the files of a ledger. One that is there and of which there is no word was finished just before a crash: it belongs to it.
 * None if there is no ledger.
 */
export async function knownFiles(directory: string): Promise<readonly string[]> {
  const words = new Map(
    (await readWords<FileWord>(join(directory, INDEX))).map(({ file, isStruck = false }) => [file, isStruck]),
  );
  const present = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cannotUse(directory, cause);
  });
  const unknown = present.filter((file) => file !== INDEX && !file.startsWith(".") && !words.has(file));
  const noted = [...words].flatMap(([file, isStruck]) => (isStruck ? [] : [file]));
  return [...noted, ...unknown].map((file) => join(directory, file));
}
