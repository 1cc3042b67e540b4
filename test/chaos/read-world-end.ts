import { join } from "node:path";
import { placesIn } from "../../src/store/state-directory.ts";
import { loadRun, type StoredRun } from "../../src/store/summarise-run.ts";
import type { WorldEnd } from "./judge-world.ts";

/** What rec-push says about the run of a summary: its journal, and the events of `rec-push runs --json`. */
export async function readWorldEnd(
  stateHome: string,
  summary: WorldEnd["summary"],
  events: readonly Readonly<Record<string, unknown>>[],
): Promise<WorldEnd> {
  const load = async (run: string): Promise<StoredRun> => {
    const stored = await loadRun(placesIn(join(stateHome, "rec-push")), run);
    if (stored === undefined) throw new Error(`the run ${run} has no journal`);
    return stored;
  };
  const told = events.find((run) => run["run"] === summary["run"]);
  if (told === undefined) throw new Error(`rec-push runs does not list ${JSON.stringify(summary)}`);
  const stored = await load(String(told["run"]));
  const { createdBy } = stored.facts;
  const inDoubtAt = told["inDoubtAt"] as readonly Record<"first" | "last" | "rows", number>[];
  const named = inDoubtAt.map(({ first, last, rows }) => ({ lines: [first, last] as const, records: rows }));
  // A run that was killed after its end is finished; the next command sent the updates again in a new run.
  const creates = createdBy === undefined ? stored.account : (await load(createdBy)).account;
  return { account: stored.account, creates, summary, named };
}
