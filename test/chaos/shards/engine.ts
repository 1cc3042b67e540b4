import { losePower } from "../lose-power.ts";
import type { KillPlan, ProcessEnd } from "../command.ts";
import type { Draw } from "../random.ts";

/** After this many attempts the service behaves, so that every shard comes to an end. */
const MAX_WILD_ATTEMPTS = 8;
const MAX_ATTEMPTS = 30;

/** The exit codes after which the topic shards says to start a shard again, but for 1, a fault, which chaos must not meet. */
const STARTED_AGAIN: ReadonlySet<number | null> = new Set([7, 9, 129, 130, 143]);
const AT_ITS_END: ReadonlySet<number | null> = new Set([0, 4, 8]);

/** How the engine starts the processes of shards. */
export interface Engine {
  readonly draw: Draw;
  readonly shards: number;
  /** The number of processes that run at once. */
  readonly lanes: number;
  start(shard: number, kill: KillPlan | undefined): Promise<ProcessEnd>;
  drawKill(): KillPlan | undefined;
  /** Called once the service has to behave. */
  calm(): void;
  /** The state directory of a shard, and the directory in which its processes note what they brought to disk. */
  readonly stateOf: (shard: number) => { readonly root: string; readonly synced: string };
  /** Called after a kill, before the shard is started again. */
  afterKill(shard: number): Promise<void>;
}

/** Starts all shards, some at once, and each again after a kill or if its exit code asks for it; returns how each ended. */
export async function runShards(engine: Engine): Promise<ReadonlyMap<number, ProcessEnd>> {
  const waiting = Array.from({ length: engine.shards }, (_, at) => at + 1).toSorted(() =>
    engine.draw.percent(50) ? 1 : -1,
  );
  const ends = new Map<number, ProcessEnd>();
  const lane = async (): Promise<void> => {
    for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift())
      ends.set(shard, await runToItsEnd(engine, shard));
  };
  await Promise.all(Array.from({ length: engine.lanes }, lane));
  return ends;
}

async function runToItsEnd(engine: Engine, shard: number): Promise<ProcessEnd> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (attempt > MAX_WILD_ATTEMPTS) engine.calm();
    const end = await engine.start(shard, engine.drawKill());
    if (end.isKilled) {
      const { root, synced } = engine.stateOf(shard);
      if (engine.draw.percent(35)) await losePower(root, synced, engine.draw);
      await engine.afterKill(shard);
      continue;
    }
    if (AT_ITS_END.has(end.code)) return end;
    if (!STARTED_AGAIN.has(end.code))
      throw new Error(`the shard ${shard} ended with ${end.code}: ${end.stdout}${end.stderr}`);
  }
  throw new Error(`the shard ${shard} comes to no end`);
}
