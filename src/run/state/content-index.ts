import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunIdentity } from "../journal/run-facts.ts";
import { syncDirectory } from "../journal/sync-directory.ts";
import { cannotUse } from "./state-directory.ts";

/** What is kept of a push of one content to one target, also once its run directory is gone. */
export interface PushedContent {
  readonly run: string;
  readonly startedAt: string;
  /** As named then. */
  readonly file: string;
  /** True once the service may hold a create of it; before the run ends, whether it has any to send. */
  readonly hasCreates: boolean;
  /** Of a run whose directory was pruned. */
  readonly exitCode?: number;
  /** The user gave the run up, and its journal is no longer there to tell. */
  readonly isAbandoned?: boolean;
}

/** The name of a content at a target: the same for the same content, target and run key. */
function nameIdentity({ content, url, dbVersion, runKey }: RunIdentity): string {
  return createHash("sha256")
    .update(JSON.stringify([content, url, dbVersion, runKey]))
    .digest("hex");
}

/** The runs that began to push a content to a target, in order; the last word on each. */
export async function readPushed(contents: string, identity: RunIdentity): Promise<readonly PushedContent[]> {
  const path = join(contents, nameIdentity(identity));
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cannotUse(path, cause);
  }
  const found = new Map<string, PushedContent>();
  for (const line of wholeLines(text)) {
    const pushed = parse(line, path);
    found.set(pushed.run, pushed);
  }
  return [...found.values()];
}

/**
 * Each word is a line between two line feeds of its own. One that does not end so was cut off by a crash, also where it
 * happens to be whole: nothing relied on it, and its run never began.
 */
function wholeLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.filter((line, at) => line !== "" && lines[at + 1] === "");
}

/** Adds a word on a push; it is on disk when this resolves. */
export async function notePushed(
  contents: string,
  identity: RunIdentity,
  pushed: PushedContent,
): Promise<void> {
  const path = join(contents, nameIdentity(identity));
  try {
    const handle = await open(path, "a", 0o600);
    try {
      // A line that a crash cut off ends here.
      await handle.appendFile(`\n${JSON.stringify(pushed)}\n`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await syncDirectory(contents);
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}

function parse(line: string, path: string): PushedContent {
  try {
    return JSON.parse(line) as PushedContent;
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}
