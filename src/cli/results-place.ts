import { access, constants, lstat, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AskedPlace, mayHold } from "../files/kept-place.ts";
import { beginsResults, RESULTS_HEAD_BYTES } from "../files/plain-results.ts";
import type { ResultsPlace } from "../files/results.ts";
import { RecPushError } from "../model/failure.ts";

/**
 * Decides where `--results` go: NDJSON if the file name says so, else CSV. Results of an earlier run are removed, so
 * that nobody mistakes them for those of this run; with `isOwn` they belong to this run, and stay until the new ones
 * are there. Throws a usage error if anything else is there.
 */
export async function settleResultsPlace(
  path: string | undefined,
  files: readonly string[],
  rejects: readonly (AskedPlace | undefined)[],
  isOwn = false,
): Promise<ResultsPlace | undefined> {
  if (path === undefined) return undefined;
  if (path === "-") {
    throw inTheWay(path, "they are a file", "--json tells every batch on standard output");
  }
  if (rejects.some((place) => place !== undefined && mayHold(place, path))) {
    throw inTheWay(path, "the rejects go there", "name another file");
  }
  const there = await lstat(path).catch(() => undefined);
  const inputs = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  if (there !== undefined && inputs.some((input) => input?.ino === there.ino && input.dev === there.dev)) {
    throw inTheWay(path, "it is the file that is pushed", "name another file");
  }
  if (there !== undefined && !there.isFile())
    throw inTheWay(path, "it is not a regular file", "name another file");
  const isWritable = await access(dirname(path), constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const why = `${dirname(path)} is not a directory in which this user may write`;
    throw inTheWay(path, why, "make it, or name another place");
  }
  if (there !== undefined && !isOwn) {
    if (there.size > 0) await refuseForeign(path);
    await rm(path, { force: true });
  }
  return { path, format: /\.(?:ndjson|jsonl|json)$/i.test(path) ? "ndjson" : "csv" };
}

/** Throws a usage error if a file was not written by `--results`. */
async function refuseForeign(path: string): Promise<void> {
  const head = await readHead(path);
  if (Buffer.isBuffer(head) && beginsResults(head)) return;
  const why = Buffer.isBuffer(head) ? "it does not hold results of rec-push" : `it cannot be read (${head})`;
  throw inTheWay(path, why, "name another file, or move that one away");
}

/** The first bytes of a file, or why they cannot be read. */
async function readHead(path: string): Promise<Buffer | string> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(RESULTS_HEAD_BYTES));
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown error";
  }
}

function inTheWay(path: string, why: string, hint: string): RecPushError {
  const message = `the results cannot go to ${path}: ${why}`;
  return new RecPushError("usage", "results-place", message, { hint });
}
