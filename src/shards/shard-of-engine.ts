import { showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";

/** Which shard a process is, counted from 1, as the engine that started it says; `of` if it says how many there are. */
interface EngineShard {
  readonly engine: string;
  readonly shard: number;
  readonly of: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Engine {
  readonly name: string;
  /** The variable that shows that a process was started by it. */
  readonly mark: string;
  readonly read: (number: (name: string) => number) => Omit<EngineShard, "engine">;
}

const ENGINES: readonly Engine[] = [
  {
    name: "Slurm",
    mark: "SLURM_ARRAY_TASK_ID",
    // An array may begin anywhere and have a step, and a list of single numbers is no array of a whole plan.
    read(number) {
      const [id, least, most] = [
        number("SLURM_ARRAY_TASK_ID"),
        number("SLURM_ARRAY_TASK_MIN"),
        number("SLURM_ARRAY_TASK_MAX"),
      ];
      const of = number("SLURM_ARRAY_TASK_COUNT");
      const step = of === 1 ? 1 : (most - least) / (of - 1);
      const shard = (id - least) / step + 1;
      if (!Number.isInteger(step) || !Number.isInteger(shard) || step < 1)
        throw uneven(`tasks ${least} to ${most}, ${of} of them, are not evenly numbered`);
      return { shard, of };
    },
  },
  {
    name: "Kubernetes",
    mark: "JOB_COMPLETION_INDEX",
    // A pod does not know the number of completions.
    read: (number) => ({ shard: number("JOB_COMPLETION_INDEX") + 1, of: undefined }),
  },
  {
    name: "GitLab",
    mark: "CI_NODE_INDEX",
    read: (number) => ({ shard: number("CI_NODE_INDEX"), of: number("CI_NODE_TOTAL") }),
  },
  {
    name: "CircleCI",
    mark: "CIRCLE_NODE_INDEX",
    read: (number) => ({ shard: number("CIRCLE_NODE_INDEX") + 1, of: number("CIRCLE_NODE_TOTAL") }),
  },
];

/**
 * The shard that the environment names. Throws a usage error if no engine or more than one does, or if it says anything
 * that cannot be a shard of `shards`.
 */
export function shardOfEngine(env: Environment, shards: number): number {
  const found = ENGINES.filter(({ mark }) => (env[mark] ?? "") !== "");
  const [engine, other] = found;
  if (engine === undefined) {
    throw refused(
      "--shard auto: no engine says which shard this is",
      `${ENGINES.map(({ mark }) => mark).join(", ")} are not set: name the shard, such as --shard 3/${shards}`,
    );
  }
  if (other !== undefined) {
    throw refused(
      `--shard auto: ${found.map(({ name, mark }) => `${name} (${mark})`).join(" and ")} each say which shard this is`,
      `name the shard by the one that counts, such as --shard 3/${shards}`,
    );
  }
  const { shard, of } = engine.read((name) => numberOf(env, name, engine.name));
  if (of !== undefined && of !== shards) {
    throw refused(
      `--shard auto: ${engine.name} runs ${showCount(of, "process")}, and the plan has ${showCount(shards, "shard")}`,
      `let it run ${shards}; to run some of the shards again, name each: --shard 3/${shards}`,
    );
  }
  if (shard >= 1 && shard <= shards) return shard;
  throw refused(
    `--shard auto: ${engine.name} says shard ${shard} (${engine.mark}=${env[engine.mark]}), and the plan has ${showCount(shards, "shard")}`,
    `let it run ${showCount(shards, "process")}`,
  );
}

function numberOf(env: Environment, name: string, engine: string): number {
  const text = env[name] ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(
    `--shard auto: ${engine} sets no number in ${name} (${JSON.stringify(text)})`,
    "name the shard, such as --shard 3/64",
  );
}

function uneven(why: string): RecPushError {
  return refused(
    `--shard auto: ${why}`,
    "number them from 1 to the number of shards: --array=1-64; or name each shard: --shard 3/64",
  );
}

function refused(message: string, hint: string): RecPushError {
  return new RecPushError("usage", "other-shards", message, { hint });
}
