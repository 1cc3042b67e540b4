import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { areMended } from "../finish/holds-unmended.ts";
import { type PushedContent, readPushed } from "../journal/content-index.ts";
import type { RunIdentity } from "../journal/run-facts.ts";
import { loadRun, type StoredRun } from "../journal/run-store.ts";
import { countToMend } from "../journal/summarise-run.ts";
import { quoteWord } from "../model/shell-word.ts";
import { partOfRun, placesOf, runNameOf } from "../shards/shard-plan.ts";
import { placesIn, type StateDirectory } from "../state/state-directory.ts";

/** A content that the shards of a plan pushed. */
type Planned = Pick<PushedContent, "run"> & { readonly plan: string };

/** The content that a plan pushed under this name; `undefined` if a run of its own pushed it. */
export async function findPlanned(
  state: StateDirectory,
  identity: RunIdentity,
  run: string,
): Promise<(PushedContent & Planned) | undefined> {
  const pushed = (await readPushed(state.contents, identity)).find((one) => one.run === run);
  return pushed?.plan === undefined ? undefined : { ...pushed, plan: pushed.plan };
}

/** What `rec-push runs` names in place of the run. */
export function planWords(pushed: { readonly plan?: string | undefined } | undefined): string | undefined {
  return pushed?.plan === undefined ? undefined : `--plan ${quoteWord(pushed.plan)}`;
}

/** True if creates that the service refused in the shards of a plan were not mended and pushed since. */
export async function leavesCreates(
  state: StateDirectory,
  pushed: PushedContent & Planned,
): Promise<boolean> {
  if ((pushed.refusedCreates ?? 0) === 0) return false;
  const runs = await runsOf(pushed);
  const refused = runs.filter(({ account }) => account.countOf("create", "refused") > 0);
  // If the directory of the plan is gone, nobody knows.
  return refused.length === 0 || !(await allMended(state, refused));
}

/** True if all rows that the shards of a plan left to be mended were mended and pushed. */
export async function arePlanMended(state: StateDirectory, pushed: Planned): Promise<boolean> {
  const left = (await runsOf(pushed)).filter((stored) => countToMend(stored) > 0);
  return left.length > 0 && (await allMended(state, left));
}

async function allMended(state: StateDirectory, runs: readonly StoredRun[]): Promise<boolean> {
  for (const stored of runs) if (!(await areMended(state, stored))) return false;
  return true;
}

/** The runs of the shards that pushed a content, as far as they can be read. */
async function runsOf({ run, plan }: Planned): Promise<readonly StoredRun[]> {
  const places = placesOf(plan);
  const { plan: name, input } = partOfRun(run);
  const shards = await readdir(dirname(places.shard(1))).catch((): string[] => []);
  const runs: StoredRun[] = [];
  for (const shard of shards.map(Number).filter(Number.isSafeInteger)) {
    const stored = await loadRun(placesIn(places.shard(shard)), runNameOf(name, shard, input)).catch(
      () => undefined,
    );
    if (stored !== undefined) runs.push(stored);
  }
  return runs;
}
