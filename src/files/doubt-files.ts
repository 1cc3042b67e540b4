import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { DoubtFile } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunPlace } from "../store/close-finished.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import { type NotedRun, noteWritten, readKeptPlace, sizeOf } from "./kept-place.ts";
import { hashOf } from "./kept-results.ts";
import { readDoubtFile } from "./read-doubt-file.ts";

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
  const { doubts, sha256 } = await readKeptPlace(run);
  const latest = new Map(doubts.map(({ path, doubt }) => [path, doubt]));
  for (const [path, doubt] of latest) {
    if (doubt === now || (await sizeOf(path)) === 0) continue;
    if (sha256.has(await hashOf(path).catch(() => ""))) await rm(path, { force: true });
  }
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
