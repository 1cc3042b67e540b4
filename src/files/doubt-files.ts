import { rm, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import type { DoubtFile } from "../model/counts.ts";
import { createLineNames, spellDoubtedRow } from "../model/doubted-row.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunPlace } from "../store/close-finished.ts";
import { bookOf } from "../store/find-books.ts";
import type { RunAccount } from "../store/count-run.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type KeptPlace, type NotedRun, noteWritten, readKeptPlace } from "./kept-place.ts";
import { hashOf } from "./kept-results.ts";
import { readDoubtFile } from "./read-doubt-file.ts";
import type { RejectsAccount, RejectsSource } from "./rejects-account.ts";
import type { Verdict } from "./verdict-log.ts";
import { type RowsTarget, writeRejects } from "./write-rejects.ts";

type DoubtSource = Pick<RejectsSource, "inputs" | "verdicts" | "abort" | "known">;

/** Manages the files of rows in doubt of a command, one per run. */
export class DoubtFiles {
  readonly #source: DoubtSource;
  readonly #rejects: RejectsAccount;
  readonly #files: DoubtFile[] = [];

  /** The files go where the rejects go. */
  constructor(source: DoubtSource, rejects: RejectsAccount) {
    this.#source = source;
    this.#rejects = rejects;
  }

  /**
   * Writes the present doubt of the run in a directory, unless its file is already there, and removes the files of earlier
   * doubt. A file that was changed is neither replaced nor removed.
   */
  async write(input: number, directory: string, account: RunAccount): Promise<void> {
    const { inputs, verdicts, abort, known } = this.#source;
    if (known === undefined) return;
    const run = account.facts?.run ?? "";
    const { doubt } = account;
    const noted = { book: await bookOf(known.state, known.lock.table), directory };
    const kept = await readKeptPlace(noted);
    const there = await findDoubtFile({ ...noted, account });
    if (there !== undefined) this.#files.push({ ...there, run });
    else if (doubt !== undefined && verdicts.count(input) > 0) {
      const { path, rows } = await this.#rejects.placeDoubt(input, directory, async (place) => {
        const free = await freePlace(place, kept, doubt);
        const written = await writeDoubt(inputs[input]!, verdicts.read(input), { run, doubt }, free, {
          abort,
          async place(file) {
            const { sha256, rows } = file;
            await noteWritten(known, { runs: [run], sha256, rows, path: free, doubt });
            return free;
          },
        });
        return { path: free, rows: written };
      });
      this.#files.push({ run, path, rows });
      kept.doubts.push({ runs: [run], at: "", sha256: "", path: resolve(path), doubt });
    }
    await removeOthers(kept, doubt);
  }

  /** The files that hold rows. */
  get files(): readonly DoubtFile[] {
    return this.#files;
  }
}

/**
 * The file of the present doubt of a run; `undefined` if there is none. For a file that somebody has changed, it says how
 * many rows are left.
 */
export async function findDoubtFile({
  book,
  directory,
  account: { doubt, facts },
}: Pick<StoredRun, "book" | "directory" | "account">): Promise<Omit<DoubtFile, "run"> | undefined> {
  const { doubts, sha256 } = await readKeptPlace({ book, directory });
  const { path, rows } = doubts.findLast((file) => file.doubt === doubt) ?? {};
  if (doubt === undefined || path === undefined || rows === undefined) return undefined;
  if ((await sizeOf(path)) === 0) return undefined;
  if (sha256.has(await hashOf(path).catch(() => ""))) return { path, rows };
  try {
    const found = await readDoubtFile(path, facts?.plan ?? {});
    if (found.doubt !== doubt) return { path, rows, fault: "it is of another doubt" };
    return found.left.size < rows ? { path, rows, left: found.left.size } : { path, rows };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return { path, rows, fault: error.message.replace("; nothing is decided", "") };
  }
}

/** Removes the files of settled doubt, unless they were changed; `now`: the present doubt. */
export async function removeDoubtFiles(run: NotedRun, now: string | undefined): Promise<void> {
  await removeOthers(await readKeptPlace(run), now);
}

/** Notes a file that has decided, so that it is removed once its rows are sent. */
export async function noteDecided(
  place: RunPlace,
  run: string,
  { path, sha256 }: { readonly path: string; readonly sha256: string },
): Promise<void> {
  await noteWritten(place, { runs: [run], path, sha256 });
}

/** The doubt for which the run of a directory wrote a file at that path. */
export async function doubtWrittenTo(run: NotedRun, path: string): Promise<string | undefined> {
  const { doubts } = await readKeptPlace(run);
  return doubts.find((file) => file.path === resolve(path))?.doubt;
}

async function removeOthers({ doubts, sha256 }: KeptPlace, now: string | undefined): Promise<void> {
  const latest = new Map(doubts.map(({ path, doubt }) => [path, doubt]));
  for (const [path, doubt] of latest) {
    if (doubt === now || (await sizeOf(path)) === 0) continue;
    if (sha256.has(await hashOf(path).catch(() => ""))) await rm(path, { force: true });
  }
}

/**
 * The place, or a numbered one beside it if it holds a user's rows or once held another doubt of the run: a command that
 * names a file must never find another doubt in it.
 */
async function freePlace(place: string, { doubts }: KeptPlace, doubt: string): Promise<string> {
  const extension = extname(place);
  for (let number = 1; ; number++) {
    const path =
      number === 1 ? place : join(`${place.slice(0, place.length - extension.length)}-${number}${extension}`);
    const isOther = doubts.some((file) => file.path === resolve(path) && file.doubt !== doubt);
    if (!isOther && (await sizeOf(path)) === 0) return path;
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** The doubt of a run for which a file is written. */
interface RunDoubt {
  readonly run: string;
  /** Its short name. */
  readonly doubt: string;
}

/** Writes the rows of one input that are in doubt to a path, in the format of rejects; returns how many there are. */
async function writeDoubt(
  input: SurveyedInput,
  verdicts: AsyncIterable<readonly Verdict[]>,
  { run, doubt }: RunDoubt,
  path: string,
  target: Pick<RowsTarget, "place" | "abort">,
): Promise<number> {
  const nameLine = createLineNames();
  const written = await writeRejects(input, verdicts, {
    ...target,
    kind: "inDoubt",
    cellsOf: ({ line, field, reason }) => [
      spellDoubtedRow({ line: nameLine(line), run, doubt }),
      field,
      reason,
    ],
    draft: path,
  });
  return written?.rows ?? 0;
}
