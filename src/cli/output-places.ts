import { access, constants, lstat, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AskedPlace, isWithin, mayHold, placeIn } from "../files/kept-place.ts";
import { beginsResults, RESULTS_HEAD_BYTES, type ResultsPlace } from "../files/results.ts";
import { RecPushError } from "../model/failure.ts";

/** Makes the error for a place that is taken, from why it is and what to do. */
export type Refuse = (why: string, hint?: string) => RecPushError;

const ANOTHER = "name another file";
const ANOTHER_OR_MOVE = "name another file, or move that one away";

/**
 * Decides where each file's rejects go: for one input, the file that `--rejects` names; for several inputs, or if it
 * names a directory, one file per input in that directory. Throws a usage error, before anything is read, if the place
 * is taken. Rows that are already there are checked later, when the run of the files is known.
 */
export async function settleRejectsPlaces(
  target: string,
  files: readonly string[],
): Promise<readonly AskedPlace[]> {
  const refuse: Refuse = (why, hint = ANOTHER) =>
    new RecPushError("rejects-place", `the rejects cannot go to ${target}: ${why}`, { hint });
  const there = await stat(target).catch(() => undefined);
  if (files.length === 1 && !/[/\\]$/.test(target) && there?.isDirectory() !== true) {
    await refuseTaken(target, files, refuse);
    return [{ kind: "file", path: target }];
  }
  await mkdir(target, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "EEXIST" ? "it is a file" : String(cause);
    throw refuse(why, "several files need a directory for their rejects");
  });
  await refuseUnwritable(target, refuse);
  return files.map((file) => placeIn(target, file));
}

/**
 * The place without `--rejects`: beside each file. `undefined`, which means the directory of the run, for standard
 * input and pipes, for a file in the state directory, and where this user may not write.
 */
export function placesBeside(
  files: readonly string[],
  stateRoot: string,
): Promise<readonly (AskedPlace | undefined)[]> {
  return Promise.all(
    files.map(async (file) => {
      const directory = dirname(file);
      const isFile = file !== "-" && (await stat(file).catch(() => undefined))?.isFile() === true;
      if (!isFile || isWithin(stateRoot, file) || !(await isWritable(directory))) return undefined;
      return placeIn(directory, file, true);
    }),
  );
}

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
  const refuse: Refuse = (why, hint = ANOTHER) =>
    new RecPushError("results-place", `the results cannot go to ${path}: ${why}`, { hint });
  if (path === "-") throw refuse("they are a file", "--json tells every batch on standard output");
  if (rejects.some((place) => place !== undefined && mayHold(place, path)))
    throw refuse("the rejects go there");
  await refuseTaken(path, files, refuse);
  if (!isOwn) {
    const there = await stat(path).catch(() => undefined);
    if (there !== undefined && there.size > 0)
      await refuseForeign(path, RESULTS_HEAD_BYTES, beginsResults, "results", refuse);
    await rm(path, { force: true });
  }
  return { path, format: /\.(?:ndjson|jsonl|json)$/i.test(path) ? "ndjson" : "csv" };
}

/** Throws a usage error if no file can be written at a path: there is an input of the command, no file, or no directory. */
export async function refuseTaken(path: string, inputs: readonly string[], refuse: Refuse): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  const found = await Promise.all(inputs.map((file) => stat(file).catch(() => undefined)));
  if (there !== undefined && found.some((input) => input?.ino === there.ino && input.dev === there.dev))
    throw refuse("it is the file that is pushed");
  if (there?.isFile() === false) throw refuse("it is not a regular file");
  await refuseUnwritable(dirname(path), refuse);
}

/** Throws a usage error if there is a file that does not begin as what rec-push writes there. */
export async function refuseForeign(
  path: string,
  headBytes: number,
  isOwn: (head: Buffer) => boolean,
  what: string,
  refuse: Refuse,
): Promise<void> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw refuse(`it cannot be read (${error.code})`, ANOTHER_OR_MOVE);
  });
  if (handle === undefined) return;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes));
    if (!isOwn(buffer.subarray(0, bytesRead)))
      throw refuse(`it does not hold ${what} of rec-push`, ANOTHER_OR_MOVE);
  } finally {
    await handle.close();
  }
}

async function refuseUnwritable(directory: string, refuse: Refuse): Promise<void> {
  if (await isWritable(directory)) return;
  throw refuse(
    `${directory} is not a directory in which this user may write`,
    "make it, or name another place",
  );
}

/** True for a directory in which this user may write. */
function isWritable(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
