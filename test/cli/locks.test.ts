import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";

const creates = (from: number): string =>
  ["num_commande", ...Array.from({ length: 16 }, (_, at) => from + at), ""].join("\n");

it("a table that another process pushes to is left alone, with exit 9, or waited for with --wait-lock", async () => {
  const { file, start, command, numbers, runs } = await openWorld(["latency=5000,times=1"]);
  const first = start([await file("first.csv", creates(1000)), "-t", "commandes"]);
  // From its beginning until its first answer, the first push holds the table.
  await expect.poll(async () => (await runs()).length, { interval: 5, timeout: 60_000 }).toBe(1);
  const [run = ""] = await runs();
  const second = await file("second.csv", creates(2000));
  for (const argv of [
    [second, "-t", "commandes"],
    ["runs", "abandon", run],
  ]) {
    const { code, stderr, events } = await command([...argv, "--json"]);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`process ${first.child.pid}`)]);
    expect(events().at(-1)).toMatchObject({ event: "summary", exitCode: 9, safeToRerun: true });
  }
  expect((await command([second, "-t", "commandes"])).stderr).toContain("--wait-lock");
  expect(await command([second, "-t", "factures"])).toMatchObject({ code: 0 });
  expect(await command([second, "-t", "commandes", "--wait-lock", "1m"])).toMatchObject({ code: 0 });
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(numbers()).toHaveLength(32);
  expect(numbers().findIndex((number) => Number(number) >= 2000)).toBe(16);
});
