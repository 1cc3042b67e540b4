import { showCountIs } from "../model/quantities.ts";
import type { Shard } from "../shards/open-shard.ts";
import type { EarlierPush } from "../ledger/decide-start.ts";

/** The notice that nothing of an input is sent. */
export function leftOutText(file: string, earlier: EarlierPush): string {
  const mended =
    earlier.isMended === true ? ", and the rows that it left were mended and pushed since, or given up" : "";
  return `${file} ${pushedText(earlier)}${mended}: it is left out, so that no record is created twice; --again pushes it all the same`;
}

/** The notice that only the updates of an input are sent; `creates` is their number, if they are counted. */
export function updatesOnlyText(file: string, earlier: EarlierPush, creates: number | undefined): string {
  const which = creates === undefined ? "its creates are" : `its ${showCountIs(creates, "create")}`;
  return `${file} ${pushedText(earlier)}: only its updates are sent, ${which} left out, so that no record is created twice; --again sends them all the same`;
}

function pushedText({ run, startedAt, isAbandoned }: EarlierPush): string {
  const day = startedAt.slice(0, 16).replace("T", " ");
  return `${isAbandoned ? "was pushed in part" : "was already pushed"} on ${day} UTC (run ${run})`;
}

/** The notice that the shard of a plan has nothing of an input left to send. */
export function settledText(file: string, { shard, plan }: Shard): string {
  return `${file}: the shard ${shard}/${plan.shards} is settled, nothing of it is left to send`;
}
