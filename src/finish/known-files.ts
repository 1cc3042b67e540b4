import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { replaceFile } from "../state/atomic-file.ts";

/** The files of rows that pushes to a target wrote last, by path, as noted in the state directory. */
export interface KnownFiles {
  readonly stateRoot: string;
  /** Identifies the target. */
  readonly target: string;
  /** True if each file of the table holds the earlier rows again, so that its rejects replace the earlier ones. */
  readonly areFull: boolean;
}

/** True if a file is exactly as a push to the target wrote it. */
export async function isKnownFile(
  { stateRoot, target }: KnownFiles,
  path: string,
  sha256: string,
): Promise<boolean> {
  const known = await readFile(placeOf(stateRoot, path), "utf8").catch(() => "");
  return known === spell(sha256, target);
}

/** Notes a file before it is moved to its place. Throws what node:fs throws. */
export async function noteFile(
  { stateRoot, target }: KnownFiles,
  path: string,
  sha256: string,
): Promise<void> {
  await mkdir(join(stateRoot, "rows-files"), { recursive: true, mode: 0o700 });
  await replaceFile(placeOf(stateRoot, path), spell(sha256, target));
}

function placeOf(stateRoot: string, path: string): string {
  return join(stateRoot, "rows-files", createHash("sha256").update(resolve(path)).digest("hex"));
}

function spell(sha256: string, target: string): string {
  return `${JSON.stringify({ sha256, target })}\n`;
}
