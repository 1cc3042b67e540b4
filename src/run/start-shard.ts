import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isStillborn, loadRun, stateOf } from "../journal/run-store.ts";
import type { Start } from "../ledger/decide-start.ts";
import { hasBegun, lostShard, runOf, type Shard } from "../shards/open-shard.ts";
import { cannotUse, type StateDirectory } from "../state/state-directory.ts";

/**
 * How a shard starts with an input: its run has a fixed name, so that the next process of the shard finds it. Throws
 * a machine error if the run began and its journal is gone.
 */
export async function startOfShard(content: string, state: StateDirectory, shard: Shard): Promise<Start> {
  const run = runOf(shard, content);
  const stored = await loadRun(state, run);
  if (stored === undefined) {
    if ((await hasBegun(shard.directory, run)) && !(await isStillborn(state, run)))
      throw lostShard(shard, run);
    // Nothing was sent: a process that was killed while it began may have left a part of it.
    const directory = join(state.runs, run);
    await rm(directory, { recursive: true, force: true }).catch((cause: unknown) => {
      throw cannotUse(directory, cause);
    });
    return { kind: "new", createdBy: undefined };
  }
  const { account, facts, directory } = stored;
  const runState = stateOf(account);
  if (runState === "unfinished" || runState === "unsettled")
    return { kind: "resume", stored, decision: shard.decision?.run === run ? shard.decision : undefined };
  const hasRejects = facts.totals.rejected + account.count("refused") > 0;
  const isAbandoned = runState === "abandoned";
  return {
    kind: "leftOut",
    earlier: { run, startedAt: facts.startedAt, hasRejects, isAbandoned, directory },
  };
}
