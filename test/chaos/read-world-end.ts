import { join } from "node:path";
import { placesIn } from "../../src/store/state-directory.ts";
import { type KeptRun, loadKept } from "../../src/store/summarise-run.ts";
import type { RunStanding, WorldEnd } from "./judge-world.ts";
import type { ChaosRow } from "./rows.ts";

/** What rec-push says about the run of a summary: its journal or the book, and the events of `rec-push runs --json`. */
export async function readWorldEnd(
  stateHome: string,
  summary: WorldEnd["summary"],
  events: readonly Readonly<Record<string, unknown>>[],
  rows: readonly ChaosRow[],
): Promise<WorldEnd> {
  const load = async (run: string): Promise<KeptRun> => {
    const kept = await loadKept(placesIn(join(stateHome, "rec-push")), run);
    if (kept === undefined) throw new Error(`the run ${run} is not kept`);
    return kept;
  };
  const told = events.find((run) => run["run"] === summary["run"]);
  if (told === undefined) throw new Error(`rec-push runs does not list ${JSON.stringify(summary)}`);
  const kept = await load(String(told["run"]));
  const { createdBy } = kept.begun;
  const inDoubtAt = told["inDoubtAt"] as readonly Record<"first" | "last" | "rows", number>[];
  const named = inDoubtAt.map(({ first, last, rows }) => ({ lines: [first, last] as const, records: rows }));
  // A run that was killed after its end is finished; the next command sent the updates again in a new run.
  const creates = createdBy === undefined ? kept : await load(createdBy);
  return { account: standingIn(kept, rows), creates: standingIn(creates, rows), summary, named };
}

/** Of a finished run only counts are kept: each row was accepted but those that the service refuses, whatever their batch. */
function standingIn({ stored, end }: KeptRun, rows: readonly ChaosRow[]): RunStanding {
  if (stored !== undefined) return stored.account;
  const { state, counts } = end.kept.shown;
  if (state !== "finished") throw new Error(`a run without a journal is ${state}`);
  const bad = new Set(rows.flatMap(({ kind, ordinal, isBad }) => (isBad ? [`${kind} ${ordinal}`] : [])));
  return {
    doubt: undefined,
    count: (outcome) => counts[outcome],
    standingOf: (kind, ordinal) => (bad.has(`${kind} ${ordinal}`) ? "refused" : "accepted"),
  };
}
