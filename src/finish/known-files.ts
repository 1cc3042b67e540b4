import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RunIdentity } from "../journal/run-facts.ts";
import type { RowsKind } from "../model/marker-columns.ts";
import { replaceFile } from "../state/atomic-file.ts";
import type { StateDirectory } from "../state/state-directory.ts";

/** The files of rows that pushes to a target wrote last, by path, as noted in the state directory. */
export interface KnownFiles {
  readonly stateRoot: string;
  /** Identifies the target. */
  readonly target: string;
  /** True if each file of the table holds the earlier rows again, so that its rejects replace the earlier ones. */
  readonly areFull: boolean;
}

/** A file of rows, as it is noted. */
interface KnownFile {
  readonly sha256: string;
  readonly target: string;
  readonly path: string;
  readonly kind: RowsKind;
  /** The run whose rows they are. */
  readonly run?: string | undefined;
}

/** A rejects file, and the run whose rows it holds. */
export interface RejectsOfRun {
  readonly path: string;
  readonly run: string;
  /** False if it was moved or deleted since. */
  readonly isThere: boolean;
}

/** How long rejects are expected to be mended and pushed. */
const EXPECTED_MS = 30 * 86_400_000;
const FOLDER = "rows-files";

/** Where the files of rows of a target are noted. */
export function placeOfKnown(
  { root }: Pick<StateDirectory, "root">,
  { url, runKey, queries }: Omit<RunIdentity, "content">,
): Omit<KnownFiles, "areFull"> {
  return { stateRoot: root, target: JSON.stringify([url, runKey, queries]) };
}

/** True if a file is exactly as a push to the target wrote it. */
export async function isKnownFile(
  { stateRoot, target }: KnownFiles,
  path: string,
  sha256: string,
): Promise<boolean> {
  const known = await readKnown(placeOf(stateRoot, path));
  return known?.sha256 === sha256 && known.target === target;
}

/** The rejects files that pushes to the target wrote in the last 30 days. */
export async function findRejectsOf({
  stateRoot,
  target,
}: Omit<KnownFiles, "areFull">): Promise<readonly RejectsOfRun[]> {
  const found: RejectsOfRun[] = [];
  const oldest = Date.now() - EXPECTED_MS;
  for (const name of await readdir(join(stateRoot, FOLDER)).catch((): string[] => [])) {
    const place = join(stateRoot, FOLDER, name);
    if (((await sizeAndTime(place))?.mtimeMs ?? 0) < oldest) continue;
    const { target: of, kind, path, run } = (await readKnown(place)) ?? {};
    if (of !== target || kind !== "rejects" || path === undefined || run === undefined) continue;
    found.push({ path, run, isThere: ((await sizeAndTime(path))?.size ?? 0) > 0 });
  }
  return found;
}

/** The run whose rejects a push to the target wrote to a path; `undefined` if none did. */
export async function findRejectsAt(
  { stateRoot, target }: Omit<KnownFiles, "areFull">,
  path: string,
): Promise<string | undefined> {
  const real = await realpath(path).catch(() => path);
  for (const place of new Set([path, real])) {
    const known = await readKnown(placeOf(stateRoot, place));
    if (known?.target === target && known.kind === "rejects") return known.run;
  }
  return undefined;
}

/** The run whose rows a file holds, as it was noted last; `undefined` if that is not known. */
export async function runOfFile(stateRoot: string, path: string): Promise<string | undefined> {
  return (await readKnown(placeOf(stateRoot, path)))?.run;
}

/** Notes a file before it is moved to its place. Throws what node:fs throws. */
export async function noteFile(
  { stateRoot, target }: KnownFiles,
  path: string,
  file: Pick<KnownFile, "sha256" | "kind" | "run">,
): Promise<void> {
  await mkdir(join(stateRoot, FOLDER), { recursive: true, mode: 0o700 });
  const known: KnownFile = { ...file, target, path: resolve(path) };
  await replaceFile(placeOf(stateRoot, path), `${JSON.stringify(known)}\n`);
}

function placeOf(stateRoot: string, path: string): string {
  return join(stateRoot, FOLDER, createHash("sha256").update(resolve(path)).digest("hex"));
}

/** A note; `undefined` if there is none, or it is damaged. */
async function readKnown(place: string): Promise<KnownFile | undefined> {
  try {
    return JSON.parse(await readFile(place, "utf8")) as KnownFile;
  } catch {
    return undefined;
  }
}

function sizeAndTime(path: string) {
  return stat(path).catch(() => undefined);
}
