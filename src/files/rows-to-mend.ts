import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EXIT, type RunSummary } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { readContent } from "../read/content/content-pass.ts";
import { openAsIs } from "../read/source/open-source.ts";
import type { Book } from "../store/book.ts";
import type { BookRun, WrittenFile } from "../store/book-entries.ts";
import type { RunAccount } from "../store/count-run.ts";
import { bookOf } from "../store/find-books.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { INPUT_COPY, isOpen, type KeptRun, type StoredRun, summariseRun } from "../store/summarise-run.ts";
import { findDoubtFile } from "./doubt-files.ts";
import { readKeptPlace, sizeOf } from "./kept-place.ts";

/**
 * The rejects file of a run with nothing more to send, as long as its rows were not given up or sent by a later run, and
 * its present content was not pushed; the file may be gone. `undefined` if there is none.
 */
export async function findRowsToMend(kept: KeptRun): Promise<RunSummary["rowsToMend"]> {
  const { shown } = kept.end.kept;
  const isSent = shown.state === "finished" || shown.state === "unsettled";
  if (!isSent || (kept.end.toMend ?? 0) === 0 || kept.begun.facts?.shard !== undefined) return undefined;
  const { rejects } = readKeptPlace(kept);
  if (rejects === undefined || isSettledSince(kept)) return undefined;
  const { path, rows, later = 0, mend } = rejects;
  const isThere = (await sizeOf(path)) > 0;
  // The rejects of a later push may have taken its place.
  if (kept.book.files.get(path)?.runs[0] !== kept.run) return undefined;
  // None of them is to be mended: later rows gave all their fields.
  return later === rows ? undefined : { path, rows, later, isThere, mend };
}

/** True if the last process of a run wrote its files of rows: it ended in order, and no fault of the machine stopped it. */
export function hasWrittenFiles({ ending }: RunAccount): boolean {
  return ending !== undefined && ending.exitCode !== EXIT.fault;
}

/** True if the rows that a run left to be mended were given up, or a later run has pushed them. */
export function isSettledSince({ run, book, end }: Pick<KeptRun, "run" | "book" | "end">): boolean {
  return (end.toMend ?? 0) > 0 && (book.isMended(run) || book.takerOf(run) !== undefined);
}

/** A larger file is not read to find a change. */
const MOST_BYTES = 2 ** 28;

/** The change of a run's input since the run began; `undefined` if a quick check finds none. */
export async function lookAtInput({
  facts,
  directory,
}: Pick<StoredRun, "facts" | "directory">): Promise<RunSummary["inputNow"]> {
  const { path, startedAt, identity, plan } = facts;
  try {
    const { mtimeMs, size } = await stat(path ?? join(directory, INPUT_COPY));
    if (path === undefined || mtimeMs < Date.parse(startedAt) || size > MOST_BYTES) return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined;
  }
  const now = await fingerprintAt(path, plan["--encoding"]);
  return now === undefined || now === identity.content ? undefined : "changed";
}

/** All that there is to say of a run, with what has become of its files. */
export async function lookAtRun(kept: KeptRun): Promise<RunSummary> {
  const { stored } = kept;
  const open = stored !== undefined && isOpen(stored) ? stored : undefined;
  return {
    ...summariseRun(kept),
    doubtFile: stored && (await findDoubtFile(stored)),
    inputNow: open && (await lookAtInput(open)),
    rowsToMend: await findRowsToMend(kept),
  };
}

/** The runs of the last 30 days whose rejects a person is still to mend and push. */
export async function findUnmended(
  { state, target }: TablePlace,
  openRuns: ReadonlySet<string>,
): Promise<readonly string[]> {
  const book = await bookOf(state, target);
  const oldest = Date.now() - EXPECTED_MS;
  const isLeft = ({ run, closed, runKey, plan }: BookRun): boolean => {
    // The shards of a plan have books of their own.
    if (runKey !== target.runKey || plan !== undefined) return false;
    if (closed === undefined) return !openRuns.has(run);
    const isOld = Date.parse(closed.at) < oldest;
    return !isOld && closed.isAbandoned !== true && !book.isMended(run) && book.takerOf(run) === undefined;
  };
  return book.runs.filter(isLeft).map(({ run }) => run);
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
    if (!(error instanceof RecPushError)) throw error;
    return undefined;
  }
}
