import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const rows = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `${551_001 + from + at};13/07/2016;${10 + at},50`);
const csv = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");
const SAID = ["-t", "commandes", "--exports", "full", "--identify-by", "record"];

/** A run whose process was killed after the run ended and before it was closed: only its journal knows its creates. */
async function openUnclosed() {
  const world = await openWorld();
  const file = await makeFile("orders.csv", csv(rows(30)));
  expect((await world.command([file, ...SAID])).code).toBe(0);
  const [run = ""] = await world.runs();
  const directory = world.directoryOf(run);
  const root = join(world.home, "rec-push");
  await rm(join(directory, "closed"));
  const [table = ""] = await readdir(join(root, "created"));
  for (const name of ["ledger", "created"]) {
    await rm(join(root, name), { recursive: true });
    await mkdir(join(root, name), { mode: 0o700 });
  }
  await writeFile(join(root, "open", `${table}.${run}`), "");
  return { ...world, file, run, directory };
}

it("ledger remove is not blocked by a run that has nothing left to do", async () => {
  const { command, numbers, file } = await openUnclosed();
  const deleted = await makeFile("deleted.csv", csv(rows(2)));
  expect(await command(["ledger", "remove", deleted, ...SAID])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("2 of 2 creates taken out"),
  });
  expect((await command([file, ...SAID])).code).toBe(0);
  expect(numbers()).toHaveLength(32);
});

it("resume closes a run that has nothing left to do", async () => {
  const { command, run, directory } = await openUnclosed();
  expect((await command(["resume", run])).code).toBe(0);
  expect(await readdir(directory)).toContain("closed");
});

it("the ledger knows the creates of a run that is closed a day after the crash that ended it", async () => {
  const { command, numbers, file, directory } = await openUnclosed();
  const longAgo = new Date(Date.now() - 3 * 86_400_000);
  await utimes(directory, longAgo, longAgo);
  await command(["runs", "prune"]);
  expect(await readdir(directory)).toContain("closed");
  await writeFile(file, csv(rows(31)));
  expect((await command([file, ...SAID])).code).toBe(0);
  expect(numbers()).toHaveLength(31);
});

it.each<[string, (directory: string) => Promise<void>]>([
  ["directory", (directory) => rm(directory, { recursive: true })],
  ["journal", (directory) => rm(join(directory, "journal"))],
  ["journal's content", (directory) => writeFile(join(directory, "journal"), "")],
])(
  "an open run whose %s is lost stops other files, too, until it is said what it created",
  async (_, lose) => {
    const { command, numbers, run, directory, file } = await openUnclosed();
    await lose(directory);
    await writeFile(file, csv(rows(31)));
    const stopped = await command([file, ...SAID]);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining(`runs forget ${run}`) });
    expect((await command(["runs", "abandon", run])).code).toBe(1);
    expect((await command([file, ...SAID])).code).toBe(1);
    expect(numbers()).toHaveLength(30);
    const there = await makeFile("there.csv", csv(rows(30)));
    expect((await command(["ledger", "add", there, ...SAID])).code).toBe(0);
    expect((await command([file, ...SAID])).code).toBe(0);
    expect(numbers()).toHaveLength(31);
  },
);
