import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { shardOfEngine } from "../../src/cli/commands/push-shard.ts";
import { EXIT, SIGNAL_EXIT } from "../../src/model/exit-code.ts";
import { RecPushError } from "../../src/model/failure.ts";

/** 128 and SIGKILL, as a shell says of a process that was killed. */
const KILLED = 137;

it("The topic's engines start a shard again after each exit code that wants it, and after no other", async () => {
  const topic = await readFile("src/help/shards.md", "utf8");
  const [, slurm = ""] = /case \$code in ([\d|]+)\) scontrol requeue/.exec(topic) ?? [];
  const [, kubernetes = ""] = /action: FailIndex\s+onExitCodes: .*values: \[([\d, ]+)\]/.exec(topic) ?? [];
  const again = slurm.split("|").map(Number);
  const failed = kubernetes.split(",").map(Number);
  const codes = [...Object.values(EXIT), ...Object.values(SIGNAL_EXIT)].filter((code) => code !== EXIT.ok);
  const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);
  expect(ascending([...again, ...failed])).toEqual(ascending([...codes, KILLED]));
  const { fault, unreachable, locked } = EXIT;
  expect(ascending(again)).toEqual(
    ascending([fault, unreachable, locked, KILLED, ...Object.values(SIGNAL_EXIT)]),
  );
  // Kubernetes requires such a list to be in ascending order.
  expect(failed).toEqual(ascending(failed));
});

/** The first process of two, as each engine sets its variables. */
const FIRST_OF_TWO: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["Slurm", { SLURM_ARRAY_JOB_ID: "77", SLURM_ARRAY_TASK_ID: "1" }],
  ["Kubernetes", { JOB_COMPLETION_INDEX: "0" }],
  ["GitLab CI", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "2" }],
  ["CircleCI", { CIRCLE_NODE_INDEX: "0", CIRCLE_NODE_TOTAL: "2" }],
];

it.each(FIRST_OF_TWO)(
  "the topic names the variables of %s that --shard auto reads, and no others",
  async (name, env) => {
    const topic = await readFile("src/help/shards.md", "utf8");
    const item = topic.split(/^- |\n\n/m).find((text) => text.startsWith(`${name}: `)) ?? "";
    const read = new Set<string>();
    const watched = new Proxy(env, {
      get(target, key: string) {
        if (key in target) read.add(key);
        return target[key];
      },
    });
    expect(shardOfEngine(watched, 2)).toBe(1);
    expect(new Set([...item.matchAll(/`(\w+)`/g)].map(([, variable]) => variable))).toEqual(read);
  },
);

const slurm = (id: number, most: number) => ({
  SLURM_ARRAY_JOB_ID: "77",
  SLURM_ARRAY_TASK_ID: String(id),
  SLURM_ARRAY_TASK_MAX: String(most),
});

describe("the shard that an engine names", () => {
  it.each([
    ["Slurm, --array=1-64, its last task", slurm(64, 64), 64, 64],
    ["Kubernetes, the last index", { JOB_COMPLETION_INDEX: "63" }, 64, 64],
    ["GitLab, parallel: 64, its last job", { CI_NODE_INDEX: "64", CI_NODE_TOTAL: "64" }, 64, 64],
    ["GitLab, a job that is not parallel", { CI_NODE_TOTAL: "1", JOB_COMPLETION_INDEX: "2" }, 64, 3],
    ["CircleCI, its last container", { CIRCLE_NODE_INDEX: "63", CIRCLE_NODE_TOTAL: "64" }, 64, 64],
    ["an empty variable of another engine", { CI_NODE_INDEX: "", JOB_COMPLETION_INDEX: "7" }, 64, 8],
  ])("is that of %s", (_, env, shards, shard) => {
    expect(shardOfEngine(env, shards)).toBe(shard);
  });

  it.each([
    ["no engine", {}, "are not set, which names no shard of 64"],
    [
      "two engines",
      { CI_NODE_INDEX: "1", JOB_COMPLETION_INDEX: "0" },
      "JOB_COMPLETION_INDEX=0, CI_NODE_INDEX=1 names no shard",
    ],
    ["Slurm that counts from 0", slurm(0, 64), "SLURM_ARRAY_TASK_ID=0 names no shard of 64"],
    ["Kubernetes with more indices", { JOB_COMPLETION_INDEX: "64" }, "JOB_COMPLETION_INDEX=64 names"],
    ["Kubernetes with no number", { JOB_COMPLETION_INDEX: "a" }, "JOB_COMPLETION_INDEX=a names"],
  ])("is refused for %s", (_, env, why) => {
    expect(() => shardOfEngine(env, 64)).toThrow(RecPushError);
    expect(() => shardOfEngine(env, 64)).toThrow(why);
  });
});
