import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { PushOptions } from "../../src/library/index.ts";
import { push, PushError } from "../../src/library/index.ts";
import { mixed, numbers, openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";

async function planTwo() {
  const world = await openShardWorld();
  const file = await makeFile("orders.csv", mixed(40));
  expect((await world.plan([file], 2)).code).toBe(0);
  const { out, env } = world;
  const options = (shard: string): PushOptions => ({ plan: out, shard });
  const base = { env, token: env.REC_PUSH_TOKEN };
  const pushShard = (input: Parameters<typeof push>[0], shard: string) =>
    push(input, { ...options(shard), ...base });
  return { ...world, file, pushShard };
}

describe("a shard that a program pushes", () => {
  it("is sent as by the command, without the files of its plan, and closed by the command", async () => {
    const { service, file, pushShard, runs } = await planTwo();
    await rm(file);
    const first = await pushShard([], "1/2").summary();
    expect(first).toMatchObject({ accepted: first.read, exitCode: 0 });
    const second = await pushShard([], "2/2").summary();
    expect(second).toMatchObject({ read: 40 - first.read, accepted: 40 - first.read, exitCode: 0 });
    expect(sentNumbers(service.taken)).toEqual(numbers(40));
    expect(await pushShard([], "1/2").summary()).toMatchObject({ skipped: first.read, exitCode: 0 });
    expect((await runs()).code).toBe(0);
    await expect(pushShard([], "1/2").summary()).rejects.toMatchObject({ code: "plan-closed" });
    expect(service.taken).toHaveLength(40);
  });

  it.each([
    ["rows", { rows: [{ num_commande: 1 }] }, "1/2", "wrong-usage"],
    ["a file", "orders.csv", "1/2", "wrong-usage"],
    ["a number that the plan does not have", [], "3/3", "other-shards"],
    ["no number", [], "x", "bad-option-value"],
  ] as const)("is refused with %s", async (_, input, shard, code) => {
    const { service, pushShard } = await planTwo();
    const failure = await pushShard(input, shard)
      .summary()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PushError);
    expect(failure).toMatchObject({ code, summary: { exitCode: 2 } });
    expect(service.taken).toEqual([]);
  });
});
