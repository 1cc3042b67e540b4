import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { linesOfBook, tableIn, unclose } from "../support/table-parts.ts";
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
  await unclose(join(world.home, "rec-push"));
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
  const { command, run, home, directory } = await openUnclosed();
  expect((await command(["resume", run])).code).toBe(0);
  expect(existsSync(directory)).toBe(false);
  expect((await linesOfBook(await tableIn(join(home, "rec-push")))).at(-1)).toContain('"entry":"close"');
});

it("the next push knows the creates of a run that was not closed", async () => {
  const { command, numbers, file } = await openUnclosed();
  await command(["runs", "prune"]);
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
