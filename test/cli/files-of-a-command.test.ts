import { describe, expect, it } from "vitest";
import { heldBy } from "../support/push-to-sandbox.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

/** Two files of one command with the same key; the service took no update of the first. */
async function openTwo() {
  const world = await openWorld(["status=500,match=K6"]);
  const first = await makeFile("first.csv", "cle,num_commande\nK6,1\nK7,2\n");
  const second = await makeFile("second.csv", "cle,num_commande\nK6,11\nK8,12\n");
  const pace = ["-t", "commandes", "--retries", "0", "--late", "0s"];

  expect((await world.command([first, second, ...pace])).code).toBe(7);
  world.sandbox.setFaults([]);

  const held = () =>
    Object.fromEntries(heldBy(world.sandbox).map((fiche) => [fiche["cle"], fiche["num_commande"]]));
  return { ...world, held };
}

const ALL = { K6: "11", K7: "2", K8: "12" };

describe("of the files of one command, both with updates to send", () => {
  it("the first is resumed first, and no row is lost", async () => {
    const { command, held } = await openTwo();
    expect((await command(["resume"])).stdout).toContain("2 accepted");
    expect((await command(["resume"])).code).toBe(0);
    expect(held()).toEqual(ALL);
    expect((await command(["resume"])).stderr).toContain("no run is open");
  });

  it("the second is not resumed before the first, which rec-push runs says", async () => {
    const { command, held, runs } = await openTwo();
    const listed = (await command(["runs"])).stdout;
    const names = await runs();
    const first = names.find((run) => listed.includes(`Next: rec-push resume ${run} sends the rest`)) ?? "";
    const second = names.find((run) => run !== first) ?? "";
    expect(listed).toContain(
      `Next: once the run ${first} is finished, rec-push resume ${second} sends the rest`,
    );
    const early = await command(["resume", second]);
    expect([early.code, early.stderr]).toEqual([
      2,
      expect.stringContaining(`finish it first: rec-push resume ${first}`),
    ]);
    expect((await command(["resume", first])).code).toBe(0);
    expect((await command(["resume", second])).code).toBe(0);
    expect(held()).toEqual(ALL);
  });

  it("the second goes on alone once the first is given up", async () => {
    const { command, runs, held } = await openTwo();
    const listed = (await command(["runs"])).stdout;
    const first = (await runs()).find((run) => listed.includes(`once the run ${run} is finished`)) ?? "";
    expect((await command(["runs", "abandon", first])).code).toBe(0);
    expect((await command(["resume"])).code).toBe(0);
    expect(held()).toEqual({ K6: "11", K8: "12" });
  });
});

it("a file that a repeated command came to waits for the first, which it went on with", async () => {
  const world = await openWorld(["status=401"]);
  const first = await makeFile("first.csv", "cle,num_commande\nK6,1\nK7,2\n");
  const second = await makeFile("second.csv", "cle,num_commande\nK6,11\nK8,12\n");
  const argv = [first, second, "-t", "commandes", "--retries", "0", "--late", "0s"];
  expect((await world.command(argv)).code).toBe(5);
  expect(await world.runs()).toHaveLength(1);
  world.sandbox.setFaults(["status=500,match=K6"]);
  expect((await world.command(argv)).code).toBe(7);
  world.sandbox.setFaults([]);
  expect((await world.command(["resume"])).code).toBe(0);
  expect((await world.command(["resume"])).code).toBe(0);
  expect(new Set(world.numbers())).toEqual(new Set(["11", "2", "12"]));
});

it("the same command goes on however often the second file fails: what the first sent again is to be replaced", async () => {
  const world = await openWorld(["status=500,match=11"]);
  const first = await makeFile("first.csv", "cle,num_commande\nK6,1\n");
  const second = await makeFile("second.csv", "cle,num_commande\nK6,11\n");
  const argv = [first, second, "-t", "commandes", "--retries", "0", "--late", "0s"];
  for (let night = 0; night < 3; night++) expect((await world.command(argv)).code).toBe(7);
  world.sandbox.setFaults([]);
  expect((await world.command(argv)).code).toBe(0);
  expect(heldBy(world.sandbox)).toMatchObject([{ cle: "K6", num_commande: "11" }]);
});

it("a decision on what the second file has in doubt does not wait for the first", async () => {
  const world = await openWorld(["status=500,match=K6", "drop=after,kind=create"]);
  const first = await makeFile("first.csv", "cle,num_commande\nK6,1\n");
  const second = await makeFile("second.csv", "cle,num_commande\nK6,11\n,12\n");
  const pushed = await world.command([first, second, "-t", "commandes", "--retries", "0", "--late", "0s"]);
  expect(pushed.code).toBe(8);
  world.sandbox.setFaults([]);
  const [, words = ""] =
    /are there: rec-push (resume \S+ --in-doubt \S+=applied)$/m.exec(pushed.stdout) ?? [];
  const decided = await world.command(words.split(" "));
  expect([decided.code, decided.stdout]).toEqual([0, expect.stringContaining("2 accepted")]);
});

it("a run of another command does not wait for an older one", async () => {
  const world = await openWorld(["status=500,match=K6"]);
  const pace = ["-t", "commandes", "--retries", "0", "--late", "0s"];
  for (const number of ["1", "2"]) {
    const file = await makeFile(`orders-${number}.csv`, `cle,num_commande\nK6,${number}\n`);
    expect((await world.command([file, ...pace])).code).toBe(7);
  }
  world.sandbox.setFaults([]);
  expect((await world.command(["runs"])).stdout).not.toContain("once the run");
  expect((await world.command(["resume"])).code).toBe(0);
  expect(world.numbers()).toEqual(["2"]);
});
