import type { ShardPlan } from "../shards/shard-plan.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunKeeping } from "./start-run.ts";

/** A push that is to be shared: `shards` processes, and the directory that they share. */
export interface PlanRequest extends PushRequest {
  readonly keeping: RunKeeping;
  readonly plan: Pick<ShardPlan, "plan" | "shards" | "headerNames" | "queryNames">;
  /** Absolute. */
  readonly out: string;
}
