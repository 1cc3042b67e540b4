import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import type { StoredRun } from "../store/summarise-run.ts";

/** The results written by earlier processes of a run. */
export interface KeptResults {
  readonly path: string;
  /**
   * written: they are there as the run left them; gone: there is no file; foreign: somebody changed them, or they hold the
   * rows of several files, of which the run can write only its own.
   */
  readonly state: "written" | "gone" | "foreign";
}

/** The results of a run; `undefined` if none were asked for, or if the note is gone. */
export async function readKeptResults({
  book,
  directory,
}: Pick<StoredRun, "book" | "directory">): Promise<KeptResults | undefined> {
  const notes = book
    .writtenBy(basename(directory))
    .flatMap((note) => ("path" in note && note.kind === "results" ? note : []));
  const latest = notes.at(-1);
  if (latest === undefined) return undefined;
  const { path } = latest;
  const hash = await hashOf(path).catch(() => undefined);
  if (hash === undefined) return { path, state: "gone" };
  const isOwn = notes.some(({ sha256, isShared }) => sha256 === hash && isShared !== true);
  return { path, state: isOwn ? "written" : "foreign" };
}

/**
 * The text that claims a place for a file of rows, so that no other process uses it. If this process is killed before the
 * file is there, the run that goes on finds its own claim.
 */
function claimOf(run: string): string {
  return `rec-push writes rows of the run ${run} here\n`;
}

/** True if a file with this hash only keeps a place for rows of a run. */
export function isClaim(run: string, hash: string): boolean {
  return hash === createHash("sha256").update(claimOf(run)).digest("hex");
}

/**
 * The first of these paths that is free, holds an empty file or a claim of the run, or whose file may be replaced; a free
 * one is claimed. Throws what node:fs throws.
 */
export async function claimPath(
  run: string,
  candidates: Iterable<string>,
  mayReplace: (path: string, hash: string) => Promise<boolean>,
): Promise<string> {
  for (const path of candidates) {
    const there = await lstat(path).catch(unlessMissing);
    if (there === undefined) {
      const handle = await open(path, "wx", 0o600).catch(unlessTaken);
      if (handle === undefined) continue;
      try {
        await handle.writeFile(claimOf(run));
        await handle.sync();
      } finally {
        await handle.close();
      }
      return path;
    }
    if (!there.isFile()) continue;
    const hash = await hashOf(path).catch(() => "");
    if (there.size === 0 || isClaim(run, hash) || (await mayReplace(path, hash))) return path;
  }
  throw new Error("no free number was found");
}

/** Hex SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

function unlessTaken(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}
