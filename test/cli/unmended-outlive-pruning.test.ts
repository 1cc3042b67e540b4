import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { ageClosed } from "../support/table-parts.ts";
import { makeDirectory } from "../support/temp-files.ts";

const OPTIONS = ["--atomic-batches", "--delimiter", ";"];

/** Twelve creates, one of which the service refuses, and an update: a later push of the file still sends something. */
async function refuseOne() {
  const world = await openWorld(["refuse=num_commande:1003"]);
  const directory = await makeDirectory();
  const file = join(directory, "orders.csv");
  const rows = Array.from({ length: 12 }, (_, at) => `;${1001 + at}`);
  await writeFile(file, ["cle;num_commande", ...rows, "A;7", ""].join("\n"));
  const pushAgain = () => world.push([file, ...OPTIONS]);
  expect((await pushAgain()).code).toBe(4);
  world.sandbox.setFaults([]);
  const [run = ""] = await world.runs();
  return { ...world, pushAgain, run, rejects: join(directory, "orders.rejects.csv") };
}

type World = Awaited<ReturnType<typeof refuseOne>>;

describe("a create that the service refused", () => {
  it.each<[string, (world: World) => Promise<unknown>]>([
    ["rec-push runs prune", ({ command }) => command(["runs", "prune"])],
    [
      "40 days",
      async ({ home, pushAgain }) => {
        await ageClosed(join(home, "rec-push"), 40);
        await pushAgain();
      },
    ],
  ])("is not forgotten by %s: its file is named until it was mended and pushed", async (_, prune) => {
    const world = await refuseOne();
    const { pushAgain, command, run, rejects } = world;
    await prune(world);
    for (let night = 0; night < 2; night++)
      expect(await pushAgain()).toMatchObject({ code: 4, stdout: expect.stringContaining(rejects) });
    expect((await command(["runs"])).stdout).toContain(`mend the 1 row in ${rejects}`);
    await writeFile(rejects, (await readFile(rejects, "utf8")).replace(";1003", ";2003"));
    expect((await world.push([rejects, ...OPTIONS])).code).toBe(0);
    // Nothing is left, also where the file is removed then.
    await rm(rejects);
    expect((await pushAgain()).code).toBe(0);
    await command(["runs", "prune"]);
    expect(await world.runs()).not.toContain(run);
    expect((await pushAgain()).code).toBe(0);
    expect(sorted(world.numbers())).toEqual(
      sorted(["7", ...Array.from({ length: 12 }, (_, at) => String(at === 2 ? 2003 : 1001 + at))]),
    );
  });

  it("is not forgotten because its file is gone, until the user gives it up, which takes no other create out", async () => {
    const { pushAgain, command, run, rejects, numbers, home } = await refuseOne();
    await rm(rejects);
    const pruned = await command(["runs", "prune"]);
    expect(pruned.stdout).toContain(`rec-push runs abandon ${run} gives them up`);
    const state = join(home, "rec-push");
    expect((await command(["runs", "prune", "--state-dir", state])).stdout).toContain(
      `rec-push runs --state-dir ${state} abandon ${run} gives them up`,
    );
    expect(await pushAgain()).toMatchObject({
      code: 4,
      stdout: expect.stringContaining(`rec-push runs abandon ${run}`),
    });
    expect((await command(["runs", run])).stdout).toContain(
      `${rejects} is gone, and 1 row of it was never mended and pushed`,
    );
    const given = await command(["runs", "abandon", run]);
    expect(given).toMatchObject({
      code: 0,
      stdout: `the 1 row that the run ${run} left to be mended is given up and not sent\n`,
    });
    expect((await command(["runs", "abandon", run])).code).toBe(2);
    expect((await pushAgain()).code).toBe(0);
    await command(["runs", "prune"]);
    expect((await pushAgain()).code).toBe(0);
    expect(numbers()).toHaveLength(12);
  });
});

function sorted(numbers: readonly (string | undefined)[]): readonly string[] {
  return numbers.map(String).sort((a, b) => a.localeCompare(b));
}
