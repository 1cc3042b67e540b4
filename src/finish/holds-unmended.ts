import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readPushed } from "../journal/content-index.ts";
import type { RunIdentity } from "../journal/run-facts.ts";
import { loadRun, stateOf, type StoredRun } from "../journal/run-store.ts";
import { RecPushError } from "../model/failure.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { fingerprintAt } from "./has-content.ts";

/**
 * True if the directory of a run holds rows that still have to be mended: a rejects file whose present content no
 * finished run has pushed, or rows that a person is to correct in the service, until that person removes the file.
 */
export async function holdsUnmended(
  state: StateDirectory,
  { directory, facts }: StoredRun,
): Promise<boolean> {
  for (const name of await readdir(directory).catch((): string[] => [])) {
    const [, kind] = /^(rejects|changed)(?:-\d+)?\.(?:csv|ndjson)$/.exec(name) ?? [];
    const path = join(directory, name);
    if (kind === undefined || (await stat(path)).size === 0) continue;
    if (kind === "changed" || !(await isPushed(state, facts.identity, path))) return true;
  }
  return false;
}

/** True if a finished run has pushed a file, with its present content, to the target. */
export async function isPushed(
  state: StateDirectory,
  target: Omit<RunIdentity, "content">,
  path: string,
): Promise<boolean> {
  try {
    const content = await fingerprintAt(path);
    for (const { run, exitCode } of await readPushed(state.contents, { ...target, content })) {
      const stored = await loadRun(state, run);
      if (stored === undefined ? exitCode !== undefined : stateOf(stored.account) === "finished") return true;
    }
    return false;
  } catch (error) {
    // A file that cannot be read counts as not pushed.
    if (error instanceof RecPushError) return false;
    throw error;
  }
}
