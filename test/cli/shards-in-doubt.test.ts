import { expect, it } from "vitest";
import { HEADER, openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";
import { expectEnd } from "../support/scenario.ts";

const creates = (from: number): string => `${HEADER};${from};1,5\n`;

it("a decision on what a shard of several files has in doubt is about one of them", async () => {
  const { service, plan, shard, run, runs } = await openShardWorld();
  const files = [await makeFile("one.csv", creates(100)), await makeFile("two.csv", creates(200))];
  expect((await plan(files, 1, ["--timeout", "1s"])).code).toBe(0);
  service.stopAfter(0);
  const doubtful = await shard(1, 1);
  expect(doubtful.code).toBe(8);
  service.stopAfter(Infinity);
  const steps = [
    ...doubtful.stdout.matchAll(
      /if those of (\S+) are there: rec-push (resume .* --in-doubt )(\S+)=applied/g,
    ),
  ];
  expect(steps.map(([, file]) => file)).toEqual(files);
  const [one = "", two = ""] = steps.map(([, , words = "", doubt = ""]) => words + doubt);
  const listed = (await runs()).stdout;
  for (const words of [one, two]) expect(listed).toContain(`rec-push ${words}=applied`);
  await expectEnd(run(`${one}=applied`.split(" ")), 8, "1 create in");
  expect(service.taken).toEqual([]);
  const second = await run(`${two}=resend`.split(" "));
  expect(second.code).toBe(0);
  expect(sentNumbers(service.taken)).toEqual([200]);
  await expectEnd(run(`${two}=resend`.split(" ")), 0, "was decided before");
  expect(service.taken).toHaveLength(1);
  await expectEnd(run(`${two.slice(0, -8)}01234567=resend`.split(" ")), 2, "nothing is in doubt");
  expect((await runs()).code).toBe(0);
});

it("a run of a shard is not named: a shard goes on with all of its runs", async () => {
  const { service, plan, run, runs, out } = await openShardWorld();
  const files = [await makeFile("one.csv", creates(100)), await makeFile("two.csv", creates(200))];
  expect((await plan(files, 1)).code).toBe(0);
  const [, name = ""] = /"runs":\["([^"]+)"/.exec((await runs(["--json"])).stdout) ?? [];
  const named = await run(["resume", name, "--plan", out, "--shard", "1/1"]);
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining(`${name} is named`)]);
  expect(service.taken).toEqual([]);
  const [, whole = ""] = /rec-push (push --plan .*?) sends the rest of all of them/.exec(named.stderr) ?? [];
  expect((await run(whole.split(" "))).code).toBe(0);
  expect(sentNumbers(service.taken)).toEqual([100, 200]);
});
