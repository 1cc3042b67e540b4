import { access, constants, lstat, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AskedPlace, isWithin, placeIn } from "../files/kept-place.ts";
import { RecPushError } from "../model/failure.ts";

/**
 * Decides where each file's rejects go: for one input, the file that `--rejects` names; for several inputs, or if it
 * names a directory, one file per input in that directory. Throws a usage error, before anything is read, if the place
 * is taken. Rows that are already there are checked later, when the run of the files is known.
 */
export async function settleRejectsPlaces(
  target: string,
  files: readonly string[],
): Promise<readonly AskedPlace[]> {
  const isDirectory = files.length > 1 || /[/\\]$/.test(target) || (await isDirectoryAt(target));
  if (isDirectory) {
    await makeDirectory(target);
    return files.map((file) => placeIn(target, file));
  }
  await refuseUnwritable(dirname(target), target);
  const inputs = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  const there = await lstat(target).catch(() => undefined);
  if (there !== undefined && inputs.some((input) => input?.ino === there.ino && input.dev === there.dev))
    throw inTheWay(target, "it is the file that is pushed", "name another file");
  if (there?.isFile() === false) throw inTheWay(target, "it is not a regular file", "name another file");
  return [{ kind: "file", path: target }];
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

async function isDirectoryAt(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === "EEXIST" ? "it is a file" : String(cause);
    throw inTheWay(path, why, "several files need a directory for their rejects");
  }
  await refuseUnwritable(path, path);
}

async function refuseUnwritable(directory: string, target: string): Promise<void> {
  if (await isWritable(directory)) return;
  const why = `${directory} is not a directory in which this user may write`;
  throw inTheWay(target, why, "make it, or name another place");
}

function isWritable(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function inTheWay(path: string, why: string, hint: string): RecPushError {
  const message = `the rejects cannot go to ${path}: ${why}`;
  return new RecPushError("usage", "rejects-place", message, { hint });
}
