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
   * written: they are there as the run left them; gone: nothing is there; foreign: somebody changed them, or another
   * push wrote its own results there.
   */
  readonly state: "written" | "gone" | "foreign";
  readonly runs: readonly string[];
}

/** The results of a run; `undefined` if none were asked for, or if that is no longer known. */
export async function readKeptResults({
  book,
  directory,
}: Pick<StoredRun, "book" | "directory">): Promise<KeptResults | undefined> {
  const notes = book
    .writtenBy(basename(directory))
    .flatMap((note) => ("path" in note && note.kind === "results" ? note : []));
  const latest = notes.at(-1);
  if (latest === undefined) return undefined;
  const { path, runs } = latest;
  const hash = await hashOf(path).catch(() => undefined);
  if (hash === undefined) return { path, runs, state: "gone" };
  return { path, runs, state: notes.some(({ sha256 }) => sha256 === hash) ? "written" : "foreign" };
}

/**
 * The first of these paths that is free, or whose file may be replaced. A free one is claimed at once with an empty
 * file, so that no other process gets it. Throws what node:fs throws.
 */
export async function claimPath(
  candidates: Iterable<string>,
  mayReplace: (path: string, hash: string) => Promise<boolean>,
): Promise<string> {
  for (const path of candidates) {
    const there = await lstat(path).catch(unlessMissing);
    if (there === undefined) {
      const handle = await open(path, "wx", 0o600).catch(unlessTaken);
      if (handle === undefined) continue;
      await handle.close();
      return path;
    }
    if (there.isFile() && (await mayReplace(path, await hashOf(path).catch(() => "")))) return path;
  }
  throw new Error("no free number was found");
}

/** Hex SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** The hash of an empty file. */
export const EMPTY_HASH = createHash("sha256").digest("hex");

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

function unlessTaken(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}
