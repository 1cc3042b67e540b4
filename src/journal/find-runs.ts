import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { listKnownRuns, refuseLostRun } from "./lost-run.ts";
import { isLeftOpen, listOpenRuns, listRuns, loadRun, type StoredRun } from "./run-store.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { hasTouched } from "./touched-keys.ts";

/**
 * The open runs at a target's table, the oldest first. One whose journal is damaged is reported by `rec-push runs`.
 */
export async function findOpenRuns(state: StateDirectory, url: string): Promise<readonly StoredRun[]> {
  const found: StoredRun[] = [];
  for (const run of await listOpenRuns(state, url)) {
    const stored = await loadIntact(state, run);
    if (stored?.facts.identity.url === url && isOpen(stored)) found.push(stored);
  }
  return found.sort(compareAge);
}

/**
 * Sorts the older run first. Of two open runs on a table, the later one knows the earlier, whatever the clock said.
 */
function compareAge(a: StoredRun, b: StoredRun): number {
  if (a.facts.olderRuns.includes(b.run)) return 1;
  if (b.facts.olderRuns.includes(a.run)) return -1;
  return a.run < b.run ? -1 : 1;
}

/**
 * The runs on a table that began while rows of this one were still to be sent, and noted the keys they sent.
 * `isPassed` leaves out those that do not count.
 */
export async function findLaterRuns(
  state: StateDirectory,
  older: string,
  url: string,
  isPassed: (later: StoredRun) => boolean = () => false,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const run of await listRuns(state)) {
    if (run === older || !(await hasTouched(join(state.runs, run), url))) continue;
    const stored = await loadIntact(state, run);
    if (stored !== undefined && isPassed(stored)) continue;
    // For a damaged journal the worse is assumed.
    if (stored === undefined || (stored.facts.olderRuns.includes(older) && mayHaveUpdated(stored)))
      found.push(run);
  }
  return found;
}

/** False if it is certain that the service applied no update of a run: its process ended in order and says so. */
function mayHaveUpdated({ account }: StoredRun): boolean {
  if (account.ending === undefined) return true;
  return (["accepted", "inDoubt", "failed"] as const).some(
    (outcome) => account.countOf("update", outcome) > 0,
  );
}

/**
 * The full name of a run of which only the beginning is given. Throws a usage error if no run matches, or several do.
 */
async function findRunName(state: StateDirectory, name: string): Promise<string> {
  const names = (await listKnownRuns(state)).filter(
    (run) => run.startsWith(name) || run.endsWith(`-${name}`),
  );
  const [run, ...others] = names;
  if (run === undefined) throw noRun(`there is no run ${name} in ${state.runs}`);
  if (others.length > 0) throw noRun(`several runs are called ${name}: ${names.join(", ")}`);
  return run;
}

/**
 * The run with that name or, without a name, the latest open one. Throws a usage error if there is none, and a machine
 * error if its journal is lost or damaged.
 */
export async function findRun(state: StateDirectory, name: string | undefined): Promise<StoredRun> {
  if (name !== undefined) {
    const run = await findRunName(state, name);
    const stored = await loadRun(state, run);
    if (stored === undefined) await refuseLostRun(state, run);
    if (stored === undefined) throw noRun(`the run ${run} ended before it had begun: nothing was sent`);
    return stored;
  }
  const open: StoredRun[] = [];
  for (const run of await listOpenRuns(state)) {
    const stored = await loadRun(state, run);
    if (stored === undefined) await refuseLostRun(state, run);
    else if (isOpen(stored)) open.push(stored);
  }
  const latest = open.sort(compareAge).at(-1);
  if (latest === undefined) throw noRun("no run is open: nothing is left to resume");
  return latest;
}

export function isOpen({ account }: StoredRun): boolean {
  return isLeftOpen(account);
}

async function loadIntact(state: StateDirectory, run: string): Promise<StoredRun | undefined> {
  try {
    return await loadRun(state, run);
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}

function noRun(message: string): RecPushError {
  return new RecPushError("usage", "no-run", message, { hint: "rec-push runs lists them" });
}
