import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { HEADER, openShardWorld } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";

/** A count of one with a noun in the plural. */
const ONE_IN_PLURAL =
  /(?<![\d,.])1 (?:of them )?(?:rows|records|creates|updates|batches|files|shards|lines|notes|runs|processes|attempts|problems|are|have|were|match)\b/;

const CREATE = `${HEADER};551035;1,5\n`;

describe("one of a thing is in the singular", () => {
  it.each([
    ["applied", "1 create of the run RUN counts as created"],
    ["absent", "1 create of the run RUN counts as absent"],
  ] as const)("where the doubt of a closed run is settled as %s", async (answer, expected) => {
    const { command, runs } = await openWorld(["drop=before,kind=create"]);
    const pushed = await command([await makeFile("one.csv", CREATE), "-t", "commandes", "--retries", "0"]);
    expect([pushed.code, pushed.stdout]).toEqual([8, expect.not.stringMatching(ONE_IN_PLURAL)]);
    const [run = ""] = await runs();
    const listed = await command(["runs", run]);
    expect(listed.stdout).toContain("in doubt: 1 create, line 2");
    expect(listed.stdout).not.toMatch(ONE_IN_PLURAL);
    await command(["runs", "abandon", run]);
    const decided = await command(await decisionOn(command, answer, run));
    expect(decided).toMatchObject({ code: 0, stderr: `${expected.replace("RUN", run)}\n` });
    expect(decided.stdout).not.toMatch(ONE_IN_PLURAL);
    expect((await command(["runs", "prune"])).stdout).not.toMatch(ONE_IN_PLURAL);
  });

  it("in a push with an invalid row, and in what is printed of the run", async () => {
    const { command } = await openWorld();
    const file = await makeFile("two.csv", `${HEADER}A1;551035;1,5\nA2;551036;x\n`);
    const pushed = await command([file, "-t", "commandes", "--on-invalid", "skip"]);
    expect([pushed.code, pushed.stdout]).toEqual([4, expect.stringContaining("update     1 row  line 2")]);
    const texts = [pushed.stdout, pushed.stderr, (await command(["runs"])).stdout];
    for (const text of texts) expect(text).not.toMatch(ONE_IN_PLURAL);
  });

  it("where a create is equal to an earlier one and another is not", async () => {
    const { command } = await openWorld();
    await command([await makeFile("one.csv", `${CREATE};551037;2,5\n`), "-t", "commandes"]);
    const next = await makeFile("two.csv", `${CREATE};551036;1,5\n`);
    const asked = await command([next, "-t", "commandes"]);
    expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining("1 of 2 creates is equal to") });
    expect(asked.stderr).toContain("1 matches none of them");
    expect(asked.stderr).not.toMatch(ONE_IN_PLURAL);
  });

  it("in a plan of one shard, and where a shard or a file is named that it does not have", async () => {
    const { plan, shard, run, runs, out } = await openShardWorld();
    const file = await makeFile("one.csv", CREATE);
    const planned = await plan([file], 1);
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining("1 create in 1 shard;")]);
    const other = await shard(1, 2);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("has 1 shard\n")]);
    const engine = await run(["push", "--plan", out, "--shard", "auto"], { JOB_COMPLETION_INDEX: "1" });
    expect([engine.code, engine.stderr]).toEqual([2, expect.stringContaining("let it run 1 process\n")]);
    const files = await run(["push", file, file, "--plan", out, "--shard", "1/1"]);
    expect([files.code, files.stderr]).toEqual([2, expect.stringContaining("is named, but a shard sends")]);
    const pushed = await shard(1, 1);
    expect(pushed.code).toBe(0);
    for (const { stdout, stderr } of [planned, other, engine, files, pushed, await runs()])
      expect(stdout + stderr).not.toMatch(ONE_IN_PLURAL);
  });

  it("where a shard has one record in doubt, so that there is no step for some of them", async () => {
    const { service, plan, shard, run, runs } = await openShardWorld();
    expect(
      (await plan([await makeFile("one.csv", CREATE)], 1, ["--timeout", "1s", "--retries", "0"])).code,
    ).toBe(0);
    service.stopAfter(0);
    const pushed = await shard(1, 1);
    const listed = await runs();
    for (const { code, stdout } of [pushed, listed]) {
      expect(stdout).toMatch(/in doubt: 1 create in /);
      expect([code, stdout]).toEqual([8, expect.not.stringMatching(ONE_IN_PLURAL)]);
      expect(stdout).not.toContain("if only some are there");
    }
    const [, applied = ""] = /rec-push (resume .*=applied)/.exec(listed.stdout) ?? [];
    expect((await run(applied.split(" "))).code).toBe(0);
    expect((await runs()).code).toBe(0);
  });
});
