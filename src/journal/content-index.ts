import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunIdentity } from "./run-facts.ts";
import { appendWord, readIntactWords, readWords } from "../state/word-file.ts";

/** The record of a push of one content to one target; kept even after the run directory is gone. */
export interface PushedContent {
  readonly run: string;
  readonly startedAt: string;
  /** As it was named at the time. */
  readonly file: string;
  /** True once the service may hold a create of it; until the run ends, true if it has any to send. */
  readonly hasCreates: boolean;
  /** The exit code of a run whose directory was pruned. */
  readonly exitCode?: number;
  /** The directory of the plan whose shards pushed it. */
  readonly plan?: string;
  /** The creates that the service refused in these shards. */
  readonly refusedCreates?: number;
  /** The user took some of its creates out of the ledger, which from then on decides what was created. */
  readonly asksLedger?: boolean;
  /** The user gave the run up, or said what it created when its journal was no longer there. */
  readonly isAbandoned?: boolean;
}

/** The name of a content at a target: equal for equal content, target, queries and run key. */
function nameIdentity({ content, url, dbVersion, runKey, queries }: RunIdentity): string {
  const parts = [content, url, dbVersion, runKey];
  return createHash("sha256")
    .update(JSON.stringify(queries === undefined ? parts : [...parts, queries]))
    .digest("hex");
}

/** The runs that began to push a content to a target, in order; the last entry on each. */
export async function readPushed(contents: string, identity: RunIdentity): Promise<readonly PushedContent[]> {
  return lastWords(await readWords<PushedContent>(join(contents, nameIdentity(identity))));
}

function lastWords(words: readonly PushedContent[]): readonly PushedContent[] {
  const last = new Map<string, PushedContent>();
  // What earlier entries say of a run stays true.
  for (const word of words) last.set(word.run, { ...last.get(word.run), ...word });
  return [...last.values()];
}

/** Adds an entry on a push; it is on disk when this resolves. */
export async function notePushed(
  contents: string,
  identity: RunIdentity,
  pushed: PushedContent,
): Promise<void> {
  await appendWord(join(contents, nameIdentity(identity)), pushed);
}

/** Notes that the ledger decides from now on what a run created whose journal is lost. */
export async function noteGivenUp(contents: string, run: string): Promise<void> {
  const found = await findPushed(contents, run);
  if (found !== undefined)
    await appendWord(found.path, { ...found.pushed, isAbandoned: true, asksLedger: true });
}

/**
 * The entry on a run whose journal is missing, and the path of the file that holds it; `undefined` if no content has an
 * entry for it.
 */
export async function findPushed(
  contents: string,
  run: string,
): Promise<{ readonly pushed: PushedContent; readonly path: string } | undefined> {
  for (const name of await readdir(contents).catch(() => [])) {
    const path = join(contents, name);
    const pushed = lastWords(await readIntactWords<PushedContent>(path)).find((word) => word.run === run);
    if (pushed !== undefined) return { pushed, path };
  }
  return undefined;
}
