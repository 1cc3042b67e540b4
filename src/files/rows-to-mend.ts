import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { RunSummary } from "../model/run-steps.ts";
import { readContent } from "../read/content/content-pass.ts";
import { openAsIs } from "../read/source/open-source.ts";
import type { Book } from "../store/book.ts";
import type { BookRun, Closing, WrittenFile } from "../store/book-entries.ts";
import { allBooks, bookOf, pushesOf } from "../store/find-books.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { isOpen, type KeptRun, loadKept, type StoredRun, summariseRun } from "../store/summarise-run.ts";
import { findDoubtFile } from "./doubt-files.ts";
import { readKeptPlace, sizeOf } from "./kept-place.ts";

/**
 * The rejects file of a run with nothing more to send, as long as its rows were not given up or sent by a later run, and
 * its present content was not pushed; the file may be gone. `undefined` if there is none.
 */
export async function findRowsToMend(
  state: StateDirectory,
  kept: KeptRun,
): Promise<RunSummary["rowsToMend"]> {
  const { shown } = kept.end.kept;
  const isSent = shown.state === "finished" || shown.state === "unsettled";
  if (!isSent || (kept.end.toMend ?? 0) === 0 || kept.begun.facts?.shard !== undefined) return undefined;
  const { rejects, isSettled } = await readKeptPlace(kept);
  if (rejects === undefined || isSettled) return undefined;
  const { path, rows, later = 0, mend } = rejects;
  const isThere = (await sizeOf(path)) > 0;
  // The rejects of a later push may have taken its place.
  const isItsOwn = ((await runOfFile(state, path)) ?? kept.run) === kept.run;
  if (!isItsOwn || (await isSettledSince(state, kept, path))) return undefined;
  // None of them is to be mended: later rows gave all their fields.
  return later === rows ? undefined : { path, rows, later, isThere, mend };
}

/** A larger file is not read to find a change. */
const MOST_BYTES = 2 ** 28;

/** The change of a run's input since the run began; `undefined` if a quick check finds none. */
export async function lookAtInput({ facts }: Pick<StoredRun, "facts">): Promise<RunSummary["inputNow"]> {
  const { path, startedAt, identity, plan } = facts;
  if (path === undefined) return undefined;
  try {
    const { mtimeMs, size } = await stat(path);
    if (mtimeMs < Date.parse(startedAt) || size > MOST_BYTES) return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined;
  }
  const now = await fingerprintAt(path, plan["--encoding"]);
  return now === undefined || now === identity.content ? undefined : "changed";
}

/** All that there is to say of a run, with what has become of its files. */
export async function lookAtRun(state: StateDirectory, kept: KeptRun): Promise<RunSummary> {
  const { stored } = kept;
  const open = stored !== undefined && isOpen(stored) ? stored : undefined;
  return {
    ...summariseRun(kept),
    doubtFile: stored && (await findDoubtFile(stored)),
    inputNow: open && (await lookAtInput(open)),
    rowsToMend: await findRowsToMend(state, kept),
  };
}

/** True if rows of a run that have to be mended are in no file: a process was killed before it wrote them. */
export async function lacksRejects(run: Pick<StoredRun, "book" | "directory" | "account">): Promise<boolean> {
  const { rejected, refused } = run.account.counts;
  const toMend = rejected + refused;
  return toMend > 0 && (await readKeptPlace(run)).rejects?.rows !== toMend;
}

/** True if a run left rows that nobody has mended and pushed, sent again or given up, wherever their file is now. */
export async function holdsUnmended(state: StateDirectory, kept: KeptRun): Promise<boolean> {
  const isLeft = (kept.end.toMend ?? 0) > 0 && kept.end.isAbandoned !== true;
  return isLeft && !(await areSettledSince(state, kept));
}

/** The runs whose rejects of the last 30 days a person is still to mend and push. */
export async function findUnmended({ state, target }: TablePlace): Promise<readonly string[]> {
  const book = await bookOf(state, target);
  const oldest = Date.now() - EXPECTED_MS;
  const found: string[] = [];
  for (const file of book.files.values()) {
    const { kind, path, at } = file;
    if (kind !== "rejects" || Date.parse(at) < oldest || !isOfTarget(book, file, target)) continue;
    const [run] = file.runs as readonly [string];
    const { isMended, closed } = book.run(run) ?? {};
    if (isMended === true || closed?.isAbandoned === true) continue;
    // A file that is gone may be mended in another place.
    if ((await sizeOf(path)) === 0 || !(await isPushed(state, target, path))) found.push(run);
  }
  return found;
}

/** For so long after rejects were written, pushes note the keys that they send. */
export const EXPECTED_MS = 30 * 86_400_000;

/** A table, and the state that has its book. */
export interface TablePlace {
  readonly state: StateDirectory;
  readonly target: Omit<RunIdentity, "content">;
}

/** The run whose rejects a push to the target wrote to a path; `undefined` if none did. */
export async function findRejectsAt(
  { state, target }: TablePlace,
  path: string,
): Promise<string | undefined> {
  const book = await bookOf(state, target);
  const real = await realpath(path).catch(() => path);
  for (const place of new Set([resolve(path), real])) {
    const file = book.files.get(place);
    if (file?.kind === "rejects" && isOfTarget(book, file, target)) return file.runs[0];
  }
  return undefined;
}

/** A table has one book, whatever the --run-key. */
export function isOfTarget(book: Book, { runs }: WrittenFile, { runKey }: TablePlace["target"]): boolean {
  return book.run(runs[0]!)?.runKey === runKey;
}

/** The run of any table whose rows a file holds, by the last note; `undefined` if there is no note. */
export async function runOfFile(state: StateDirectory, path: string): Promise<string | undefined> {
  const files = (await allBooks(state)).flatMap((book) => book.files.get(resolve(path)) ?? []);
  return files.sort((left, right) => Date.parse(left.at) - Date.parse(right.at)).at(-1)?.runs[0];
}

/**
 * True if all rows that a run left to be mended were given up, or mended and pushed: their files are in place, and finished
 * runs that left nothing have pushed their present content.
 */
export async function areMended(state: StateDirectory, run: LeftRows): Promise<boolean> {
  const { rejects, isSettled } = await readKeptPlace(run);
  if (isSettled) return true;
  if (rejects === undefined || rejects.rows !== run.end.toMend) return false;
  return isPushed(state, targetOf(run), rejects.path, true);
}

/** True if creates that a run left to be mended were not mended and pushed since. */
export async function leavesCreatesUnmended(state: StateDirectory, begun: BookRun): Promise<boolean> {
  const kept = await loadKept(state, begun.run);
  const { refusedCreates = 0 } = kept?.end ?? begun.closed ?? {};
  if (refusedCreates === 0) return false;
  return kept === undefined ? begun.isMended !== true : !(await areMended(state, kept));
}

/**
 * True if a later run of the same content has sent all rows that a run left to be mended: pushing mended rejects would then
 * overwrite newer values. A run that leaves creates out has not sent those.
 */
async function areSentAgain(state: StateDirectory, { run, begun, end, ...of }: LeftRows): Promise<boolean> {
  const leavesCreates = (end.refusedCreates ?? 0) > 0;
  for (const later of await pushesOf(state, { ...targetOf({ ...of, begun }), content: begun.content })) {
    if (later.olderRuns?.includes(run) !== true || (leavesCreates && later.createdBy !== undefined)) continue;
    if ((await findFinish(state, later)) !== undefined) return true;
  }
  return false;
}

/** True if nothing is left to do about the rows of a run that a file holds: they were mended and pushed, or sent again. */
async function isSettledSince(state: StateDirectory, run: LeftRows, path: string): Promise<boolean> {
  return (await isPushed(state, targetOf(run), path)) || areSentAgain(state, run);
}

/** True if nothing is left to do about any row that a run left to be mended. */
export async function areSettledSince(state: StateDirectory, run: LeftRows): Promise<boolean> {
  return (run.end.toMend ?? 0) > 0 && ((await areMended(state, run)) || areSentAgain(state, run));
}

/** A run that perhaps left rows to be mended. */
type LeftRows = Pick<KeptRun, "run" | "directory" | "book" | "begun" | "end">;

function targetOf({ book, begun }: Pick<LeftRows, "book" | "begun">): Omit<RunIdentity, "content"> {
  const { url = "", queries } = book.table ?? {};
  const { dbVersion, runKey } = begun;
  return { url, dbVersion, runKey, ...(queries === undefined ? {} : { queries }) };
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof RecPushError)) throw error;
}

/** How a run ended that has nothing left to do; `undefined` if it is open, damaged, or was given up. */
async function findFinish(
  state: StateDirectory,
  { run, closed }: BookRun,
): Promise<Omit<Closing, "prints"> | undefined> {
  if (closed !== undefined) return closed.isAbandoned === true ? undefined : closed;
  // Of this command, or of one that was killed.
  const kept = await loadKept(state, run).catch(unlessDamaged);
  return kept?.end.kept.shown.state === "finished" ? kept.end : undefined;
}

/**
 * True if a finished run has pushed a file, with its present content, to the target; with `inWhole`, only if that run
 * left no row to be mended.
 */
export async function isPushed(
  state: StateDirectory,
  target: Omit<RunIdentity, "content">,
  path: string,
  inWhole = false,
): Promise<boolean> {
  const content = await fingerprintAt(path);
  if (content === undefined) return false;
  for (const pushed of await pushesOf(state, { ...target, content })) {
    const end = await findFinish(state, pushed);
    if (end !== undefined && !(inWhole && (end.toMend ?? 0) > 0)) return true;
  }
  return false;
}

/** The fingerprint of a file's present content; `undefined` if it cannot be read as it is, as a workbook. */
async function fingerprintAt(path: string, encoding?: string): Promise<string | undefined> {
  try {
    const source = await openAsIs(path);
    try {
      return (await readContent(source, { encoding })).proof.fingerprint;
    } finally {
      await source.close();
    }
  } catch (error) {
    return unlessDamaged(error);
  }
}
