import type { RetellShard } from "../../run/close-plan.ts";
import { retellRun } from "../../run/retell-run.ts";
import { openPart } from "../../shards/open-shard.ts";
import { placesOf, type ShardPlan } from "../../shards/shard-plan.ts";
import { placesIn } from "../../state/state-directory.ts";
import { exportsOf } from "../exports-options.ts";
import type { Io } from "../io.ts";
import { planRequest } from "../resume/resume-request.ts";
import { NO_LOCK } from "../resume/retelling.ts";
import { nameRun } from "../run-name.ts";

/**
 * Makes the function that reads the part of a shard again, without token and service, to write the rows to mend that a
 * process was killed before it wrote.
 */
export function retellShard(plan: ShardPlan, directory: string, { cwd }: Io): RetellShard {
  return (shard, input, stored) => {
    const { path, file } = plan.inputs[input]!;
    const { values, request } = planRequest(plan, [path], {}, false);
    const state = placesIn(placesOf(directory).shard(shard));
    const signal = new AbortController().signal;
    const { facts, run } = stored;
    return retellRun(stored, {
      request: {
        ...request,
        nameOf: () => file,
        surveyed: (source, _, drain) => openPart({ source, path, input }, { plan, directory, shard }, drain),
        spoolIn: state.incoming,
        openSession: () => Promise.reject(new Error("nothing is sent")),
        rejects: [],
        keeping: {
          state,
          facts,
          cwd,
          command: facts.command,
          nameRun,
          lock: NO_LOCK,
          target: facts.identity,
          again: false,
          exports: exportsOf(values),
          staleOk: false,
          resumed: run,
        },
      },
      control: { drain: signal, abort: signal },
    });
  };
}
