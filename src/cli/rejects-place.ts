import { access, constants, lstat, mkdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { RejectsPlace } from "../finish/kept-place.ts";

/**
 * Settles the place of each file's rejects: for one input the file that `--rejects` names; for several inputs, or if it
 * names a directory, one file each in that directory. Throws usage, before anything is read, if the place is taken.
 * Rows that the place holds already are checked later, when the run of the files is known.
 */
export async function settleRejectsPlaces(
  target: string | undefined,
  files: readonly string[],
): Promise<readonly RejectsPlace[]> {
  if (target === undefined) return [];
  const isDirectory = files.length > 1 || /[/\\]$/.test(target) || (await isDirectoryAt(target));
  if (isDirectory) await makeDirectory(target);
  else await refuseUnwritable(dirname(target), target);
  const names = isDirectory ? ownNames(files) : [];
  const places = files.map((_, at): RejectsPlace => {
    if (!isDirectory) return { rejects: target, superseded: besideOf(target, ".superseded") };
    return {
      rejects: join(target, besideOf(names[at]!, ".rejects")),
      superseded: join(target, besideOf(names[at]!, ".superseded")),
    };
  });
  const inputs = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  for (const path of places.flatMap(({ rejects, superseded }) => [rejects, superseded])) {
    const there = await lstat(path).catch(() => undefined);
    if (there === undefined) continue;
    if (inputs.some((input) => input?.ino === there.ino && input.dev === there.dev)) {
      throw inTheWay(path, "it is the file that is pushed", "name another file");
    }
    if (!there.isFile()) throw inTheWay(path, "it is no regular file", "name another file");
  }
  return places;
}

/** `orders.csv` and `.superseded` make `orders.superseded.csv`. */
function besideOf(path: string, mark: string): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}${mark}${extension}`;
}

/** A name for each file's rejects: its own, unpacked; JSON of every shape becomes NDJSON. */
function ownNames(files: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const name = file === "-" ? "stdin.csv" : basename(file).replace(/\.(?:gz|zst)$/i, "");
    const whole = /\.json$/i.test(name) ? name.replace(/json$/i, "ndjson") : name;
    let free = whole;
    for (let number = 2; taken.has(free); number++) free = besideOf(whole, `-${number}`);
    taken.add(free);
    return free;
  });
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
  const isWritable = await access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const why = `${directory} is no directory in which this user may write`;
    throw inTheWay(target, why, "make it, or name another place");
  }
}

function inTheWay(path: string, why: string, hint: string): RecPushError {
  const message = `the rejects cannot go to ${path}: ${why}`;
  return new RecPushError("usage", "rejects-place", message, { hint });
}
