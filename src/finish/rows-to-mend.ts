import { resolve } from "node:path";
import { stat } from "node:fs/promises";
import { stateOf, type StoredRun } from "../journal/run-store.ts";
import { countToMend } from "../journal/summarise-run.ts";
import type { RunSummary } from "../model/run-summary.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { isSettledSince } from "./holds-unmended.ts";
import { lookAtInput } from "./input-now.ts";
import { readKeptPlace } from "./kept-place.ts";
import { runOfFile } from "./known-files.ts";

/**
 * The rejects file of a run with nothing more to send, as long as nobody has given its rows up, no later run has sent them
 * and nobody has pushed its present content; it may be gone. `undefined` if there is none.
 */
export async function findRowsToMend(
  state: StateDirectory,
  stored: StoredRun,
): Promise<RunSummary["rowsToMend"]> {
  const { directory, facts, account } = stored;
  const isSent = ["finished", "unsettled"].includes(stateOf(account));
  if (!isSent || facts.shard !== undefined || countToMend(stored) === 0) return undefined;
  const { paths, rows, isSettled } = await readKeptPlace(directory);
  const path = paths.get("rejects");
  const count = path === undefined ? 0 : (rows.get(resolve(path)) ?? 0);
  if (path === undefined || count === 0 || isSettled) return undefined;
  const isThere = ((await stat(path).catch(() => undefined))?.size ?? 0) > 0;
  // The rejects of a later push may have taken its place.
  const isItsOwn = ((await runOfFile(state.root, path)) ?? facts.run) === facts.run;
  if (!isItsOwn || (await isSettledSince(state, stored, path))) return undefined;
  return {
    path,
    rows: count,
    isThere,
    hasInput: facts.path !== undefined && (await lookAtInput(stored)) === undefined,
  };
}
