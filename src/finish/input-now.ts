import { stat } from "node:fs/promises";
import type { StoredRun } from "../journal/run-store.ts";
import type { RunSummary } from "../model/run-summary.ts";
import { hasContent } from "./has-content.ts";

/** A larger file is not read only to say whether it has changed. */
const MOST_BYTES = 2 ** 28;

/**
 * What has become of the file of a run since the run began; `undefined` if it is still the same, as far as can be
 * seen quickly.
 */
export async function lookAtInput({ facts }: Pick<StoredRun, "facts">): Promise<RunSummary["inputNow"]> {
  const { path, startedAt, identity, plan } = facts;
  if (path === undefined) return undefined;
  try {
    const { mtimeMs, size } = await stat(path);
    if (mtimeMs < Date.parse(startedAt) || size > MOST_BYTES) return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined;
  }
  return (await hasContent(path, identity.content, plan["--encoding"])) === false ? "changed" : undefined;
}
