import { RecPushError } from "../model/failure.ts";
import { findOpenRuns } from "./find-runs.ts";
import { stateOf, type StoredRun } from "./run-store.ts";
import type { StateDirectory } from "../state/state-directory.ts";

/**
 * The oldest run of the same command that still has updates to send, if this run has some too: sent after those of this
 * run, they could bring older values back. `undefined` if there is none.
 */
export async function findGoesFirst(
  state: StateDirectory,
  stored: StoredRun,
): Promise<StoredRun | undefined> {
  const { command, identity } = stored.facts;
  if (!hasUpdatesToSend(stored)) return undefined;
  for (const older of await findOpenRuns(state, identity.url)) {
    if (older.run === stored.run) return undefined;
    if (older.facts.command === command && hasUpdatesToSend(older)) return older;
  }
  return undefined;
}

/** Throws a usage error if an older run of the same command goes first. */
export async function refuseBeforeOlder(state: StateDirectory, stored: StoredRun): Promise<void> {
  const older = await findGoesFirst(state, stored);
  if (older === undefined) return;
  const { run, facts } = older;
  throw new RecPushError(
    "usage",
    "open-run",
    `the run ${run} of ${facts.file}, which the same command began before ${stored.run}, has rows to send: after those of ${stored.run} they could bring older values back`,
    {
      hint: `finish it first: rec-push resume ${run}\nor give it up: rec-push runs --abandon ${run}`,
    },
  );
}

function hasUpdatesToSend({ account, facts: { totals } }: StoredRun): boolean {
  if (stateOf(account) !== "unfinished") return false;
  const settled = (["accepted", "refused", "absent", "inDoubt"] as const).reduce(
    (sum, outcome) => sum + account.countOf("update", outcome),
    0,
  );
  return settled < totals.updates;
}
