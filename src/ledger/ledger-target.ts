import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { showShare } from "../model/decimal-of.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import { appendWord, readIntactWords, readWords } from "../store/plan-hold.ts";
import { cannotUse, type StateDirectory, syncDirectory } from "../store/state-directory.ts";
import type { KnownCounts } from "../store/table-lock.ts";

/**
 * Throws a machine error if the ledger of a target holds fewer notes than an earlier holder of the table's lock has
 * seen: then the ledger was lost, emptied or restored from an older copy.
 */
export async function refuseOlderLedger(
  state: StateDirectory,
  target: LedgerTarget,
  known: KnownCounts,
): Promise<void> {
  const directory = ledgerDirectory(state, target);
  const notes = await countNotes(directory);
  const missing = (known.get(basename(directory)) ?? 0) - notes;
  if (missing <= 0) return;
  throw new RecPushError(
    "machine",
    "ledger-damaged",
    `the ledger of what was created in this table is lost, or older than the rest of the state directory: in ${directory} ${showShare(missing, missing + notes, "note")} ${missing === 1 ? "is" : "are"} missing; nothing was sent, because records could be created twice`,
    {
      hint: [
        "restore the newest copy of the whole state directory, then run the same command again",
        "or name a file that holds the records without key that the service has; then the same command compares with these:",
        "  rec-push ledger add FILE --table NAME",
      ].join("\n"),
    },
  );
}

/**
 * Adds to the ledger of a target, and records with the table's lock how much it holds afterwards; notes that were
 * missing before still count as missing.
 */
export async function rememberAdded(
  state: StateDirectory,
  target: LedgerTarget,
  known: KnownCounts,
  add: () => Promise<void>,
): Promise<void> {
  const directory = ledgerDirectory(state, target);
  const before = await countNotes(directory);
  await add();
  const added = (await countNotes(directory)) - before;
  const name = basename(directory);
  known.set(name, Math.max(known.get(name) ?? 0, before) + added);
}

/** Records how much the ledger of a target holds now: the user says that it is as it should be. */
export async function rememberLedger(
  state: StateDirectory,
  target: LedgerTarget,
  known: KnownCounts,
): Promise<void> {
  const directory = ledgerDirectory(state, target);
  known.set(basename(directory), await countNotes(directory));
}

/** Accepts the present number of notes in the ledgers that a table's lock knows of. */
export async function rememberPresent({ ledger }: StateDirectory, known: KnownCounts): Promise<void> {
  for (const [name, count] of known) known.set(name, Math.min(count, await countNotes(join(ledger, name))));
}

/** The part of a run's identity that a ledger belongs to; the database version is noted in it. */
export type LedgerTarget = Pick<RunIdentity, "url" | "runKey" | "queries">;

/** A target whose ledger is asked, with the addresses that the same table had before (`--same-as`). */
export interface AskedTarget extends LedgerTarget {
  readonly formerUrls?: readonly string[] | undefined;
}

/** A target and the targets that it was before, each once. */
export function targetsOf({ formerUrls = [], ...target }: AskedTarget): readonly LedgerTarget[] {
  const asked = new Set<string>();
  return [target.url, ...formerUrls].flatMap((url) => {
    if (asked.has(comparedUrl(url))) return [];
    asked.add(comparedUrl(url));
    return [targetOf({ ...target, url })];
  });
}

/** An entry about a file that a ledger got. */
interface FileWord {
  readonly file: string;
}

/** An entry that changes several files at once, or none of them if a crash comes before it. */
export interface ChangeWord {
  /** Random; the drafts of the files carry it. */
  readonly change: string;
  readonly replaced: readonly string[];
  readonly struck: readonly string[];
  /** A hash of what the user asked for. */
  readonly wanted?: string;
  /** How many creates it takes out. */
  readonly takenOut?: number;
}

/** The user knows of the earlier changes: the same command given again asks for new ones. */
interface ToldWord {
  readonly told: true;
}

type IndexWord = FileWord | ChangeWord | ToldWord;

/** The target of a run, or of a command. */
export function targetOf({ url, runKey, queries }: LedgerTarget): LedgerTarget {
  return { url, runKey, ...(queries === undefined ? {} : { queries }) };
}

/** The paths of all files of that name, in all ledgers. */
export async function findInLedgers(
  { ledger }: Pick<StateDirectory, "ledger">,
  name: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of await readdir(ledger).catch(() => [])) {
    // A damaged ledger is reported when its own table is pushed to.
    const files = await knownFiles(join(ledger, directory)).catch(orNone);
    found.push(...files.filter((path) => basename(path) === name));
  }
  return found;
}

function orNone(error: unknown): readonly string[] {
  if (error instanceof RecPushError) return [];
  throw error;
}

const INDEX = "index";
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An address as ledgers compare it: as a URL (WHATWG), with all names of this machine taken as one. */
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

/** Notes that a file, which is completely written, belongs to the ledger. */
export async function noteFile(directory: string, file: string): Promise<void> {
  const word: FileWord = { file };
  await appendWord(join(directory, INDEX), word);
}

/** The path of the draft that replaces a file of a ledger with this change. */
export function draftOf(directory: string, file: string, change: string): string {
  return join(directory, `.${file}.${change}`);
}

/** Changes a ledger; the drafts of the files that are replaced must be completely written. */
export async function changeFiles(directory: string, word: ChangeWord): Promise<void> {
  await appendWord(join(directory, INDEX), word);
  await knownFiles(directory);
}

/** The change that was asked for, if it was carried out but its command was cut off before it could report it. */
export async function findUntold(directory: string, wanted: string): Promise<ChangeWord | undefined> {
  const words = await readWords<IndexWord>(join(directory, INDEX));
  // What was added to the ledger since may be taken out again.
  const after = words.findLastIndex((word) => !("change" in word));
  return words
    .slice(after + 1)
    .find((word): word is ChangeWord => "change" in word && word.wanted === wanted);
}

/** Notes that the user knows of the latest changes. */
export async function noteTold(directory: string): Promise<void> {
  const path = join(directory, INDEX);
  const last = (await readWords<IndexWord>(path)).at(-1);
  const word: ToldWord = { told: true };
  if (last !== undefined && "change" in last) await appendWord(path, word);
}

/**
 * The paths of the files of a ledger; none if there is no ledger. A file without an entry was finished just before a
 * crash and belongs to the ledger. A change that a crash cut off is carried out first.
 */
export async function knownFiles(directory: string): Promise<readonly string[]> {
  const present = new Set(await listFiles(directory));
  const words = await readWords<IndexWord>(join(directory, INDEX));
  const belongs = new Map(words.flatMap(saidOf));
  for (const word of words) if ("change" in word) await carryOut(directory, present, belongs, word);
  const noted = [...belongs].flatMap(([file, isThere]) => (isThere ? [file] : []));
  const unknown = [...present].filter((file) => isOwn(file) && !belongs.has(file));
  return [...noted, ...unknown].map((file) => join(directory, file));
}

/**
 * The number of entries about files of a ledger, plus the files without an entry. It never falls, unless some are
 * lost.
 */
async function countNotes(directory: string): Promise<number> {
  const words = await readIntactWords<IndexWord>(join(directory, INDEX));
  const said = new Set(words.flatMap(saidOf).map(([file]) => file));
  const present = await listFiles(directory);
  return words.length + present.filter((file) => isOwn(file) && !said.has(file)).length;
}

/** The files that an entry is about, and whether they belong to the ledger after it. */
function saidOf(word: IndexWord): readonly (readonly [file: string, isThere: boolean])[] {
  if ("file" in word) return [[word.file, true]];
  return "told" in word ? [] : word.struck.map((file) => [file, false]);
}

function isOwn(file: string): boolean {
  return file !== INDEX && !file.startsWith(".");
}

async function listFiles(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cannotUse(directory, cause);
  });
}

async function carryOut(
  directory: string,
  present: ReadonlySet<string>,
  belongs: ReadonlyMap<string, boolean>,
  { change, replaced, struck }: ChangeWord,
): Promise<void> {
  try {
    for (const file of replaced) {
      const draft = draftOf(directory, file, change);
      // Another process may be faster.
      if (present.has(basename(draft))) await rename(draft, join(directory, file)).catch(ignoreAbsent);
    }
    for (const file of struck)
      if (present.has(file) && belongs.get(file) === false) await rm(join(directory, file), { force: true });
  } catch (cause) {
    throw cannotUse(directory, cause);
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
