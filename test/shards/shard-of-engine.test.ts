import { describe, expect, it } from "vitest";
import { shardOfEngine } from "../../src/cli/commands/push-shard.ts";
import { RecPushError } from "../../src/model/failure.ts";

const slurm = (id: number, most: number) => ({
  SLURM_ARRAY_JOB_ID: "77",
  SLURM_ARRAY_TASK_ID: String(id),
  SLURM_ARRAY_TASK_MAX: String(most),
});

describe("the shard that an engine names", () => {
  it.each([
    ["Slurm, --array=1-64, its first task", slurm(1, 64), 64, 1],
    ["Slurm, --array=1-64, its last task", slurm(64, 64), 64, 64],
    ["Slurm, --array=3,9,64", slurm(9, 64), 64, 9],
    ["Kubernetes, the first index", { JOB_COMPLETION_INDEX: "0" }, 64, 1],
    ["Kubernetes, the last index", { JOB_COMPLETION_INDEX: "63" }, 64, 64],
    ["GitLab, parallel: 64, its first job", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "64" }, 64, 1],
    ["GitLab, parallel: 64, its last job", { CI_NODE_INDEX: "64", CI_NODE_TOTAL: "64" }, 64, 64],
    ["GitLab, a job that is not parallel", { CI_NODE_TOTAL: "1", JOB_COMPLETION_INDEX: "2" }, 64, 3],
    ["CircleCI, its first container", { CIRCLE_NODE_INDEX: "0", CIRCLE_NODE_TOTAL: "64" }, 64, 1],
    ["CircleCI, its last container", { CIRCLE_NODE_INDEX: "63", CIRCLE_NODE_TOTAL: "64" }, 64, 64],
    ["an empty variable of another engine", { CI_NODE_INDEX: "", JOB_COMPLETION_INDEX: "7" }, 64, 8],
  ])("is that of %s", (_, env, shards, shard) => {
    expect(shardOfEngine(env, shards)).toBe(shard);
  });

  it.each([
    ["no engine", {}, "no engine says"],
    ["two engines", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "64", JOB_COMPLETION_INDEX: "0" }, "GitLab"],
    ["Slurm with fewer tasks", slurm(3, 32), "Slurm runs 32 processes, and the plan has 64 shards"],
    ["Slurm with a task started again alone", slurm(3, 3), "Slurm runs 3 processes"],
    ["Slurm that counts from 0", slurm(0, 64), "says shard 0"],
    ["Slurm without its count", { SLURM_ARRAY_TASK_ID: "3" }, "SLURM_ARRAY_TASK_MAX"],
    ["Kubernetes with more indices", { JOB_COMPLETION_INDEX: "64" }, "says shard 65"],
    ["Kubernetes with no number", { JOB_COMPLETION_INDEX: "a" }, "JOB_COMPLETION_INDEX"],
    ["GitLab with another count", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "63" }, "GitLab runs 63"],
    ["GitLab from 0", { CI_NODE_INDEX: "0", CI_NODE_TOTAL: "64" }, "says shard 0"],
    ["CircleCI with another count", { CIRCLE_NODE_INDEX: "1", CIRCLE_NODE_TOTAL: "65" }, "CircleCI runs 65"],
    ["CircleCI without its count", { CIRCLE_NODE_INDEX: "1" }, "CIRCLE_NODE_TOTAL"],
  ])("is refused for %s", (_, env, why) => {
    expect(() => shardOfEngine(env, 64)).toThrow(RecPushError);
    expect(() => shardOfEngine(env, 64)).toThrow(why);
  });
});
