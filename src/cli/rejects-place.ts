import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AskedPlace, isWithin, placeIn } from "../files/kept-place.ts";
import { RecPushError } from "../model/failure.ts";
import { isWritable, type Refuse, refuseTaken, refuseUnwritable } from "./own-file.ts";

/**
 * Decides where each file's rejects go: for one input, the file that `--rejects` names; for several inputs, or if it
 * names a directory, one file per input in that directory. Throws a usage error, before anything is read, if the place
 * is taken. Rows that are already there are checked later, when the run of the files is known.
 */
export async function settleRejectsPlaces(
  target: string,
  files: readonly string[],
): Promise<readonly AskedPlace[]> {
  const refuse: Refuse = (why, hint = "name another file") =>
    new RecPushError("usage", "rejects-place", `the rejects cannot go to ${target}: ${why}`, { hint });
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
