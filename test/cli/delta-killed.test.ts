import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const rows = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `${551_001 + from + at};13/07/2016;${10 + from + at},50`);
const csv = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");
const DELTA = ["-t", "commandes", "--exports", "delta"];
const KILLS = fileURLToPath(new URL("../support/kill-at-summary.mjs", import.meta.url));

/** A world, and real commands in it. */
async function openNights(faults: readonly string[] = []) {
  const world = await openWorld(faults);
  const { sandbox, home, runs, directoryOf } = world;
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  /** How many runs announced creates. */
  const announced = async (): Promise<number> => {
    const journals = (await runs().catch(() => [])).map((run) => join(directoryOf(run), "journal"));
    const texts = await Promise.all(journals.map((path) => readFile(path, "utf8").catch(() => "")));
    return texts.filter((text) => text.includes('"intent"')).length;
  };
  return { ...world, env, announced };
}

it("rows of a delta push that was killed while it reported its end are not created again from another file", async () => {
  const { command, numbers, env } = await openNights();
  const tonight = await makeFile("tonight.csv", csv(rows(5)));
  const killing = { ...env, NODE_OPTIONS: `--import=${KILLS}` };
  expect((await startProcess([tonight, ...DELTA], killing).ended).signal).toBe("SIGKILL");
  expect(numbers()).toHaveLength(5);
  // The command failed, so the shop delivers its rows once more.
  const both = await makeFile("both.csv", csv(rows(8)));
  const pushed = await command([both, ...DELTA]);
  expect(pushed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("5 of 8 creates were created before"),
  });
  expect(numbers()).toHaveLength(8);
  const again = await makeFile("again.csv", csv(rows(9)));
  expect((await command([again, ...DELTA])).stderr).toContain("5 of 9 creates were created before");
});

it("rows of the first file are not created again where the command was killed in the second", async () => {
  const { sandbox, command, numbers, env, announced } = await openNights(["hang,kind=create,skip=1"]);
  const [one, two] = [await makeFile("one.csv", csv(rows(5))), await makeFile("two.csv", csv(rows(5, 5)))];
  const { child, ended } = startProcess([one, two, ...DELTA], env);
  await expect.poll(announced, { timeout: 60_000 }).toBe(2);
  child.kill("SIGKILL");
  await ended;
  expect(numbers()).toHaveLength(5);
  sandbox.setFaults([]);
  const both = await makeFile("both.csv", csv(rows(10)));
  expect((await command([both, ...DELTA])).code).toBe(8);
  expect((await command(await decisionOn(command, "absent"))).code).toBe(0);
  expect((await command([both, ...DELTA])).code).toBe(0);
  expect(new Set(numbers()).size).toBe(10);
  expect(numbers()).toHaveLength(10);
});

it("rows that are said to be absent are created once, though their file and a later one with them are pushed again", async () => {
  const { sandbox, command, numbers, env, announced } = await openNights(["hang,kind=create"]);
  const first = await makeFile("first.csv", csv(rows(5)));
  const { child, ended } = startProcess([first, ...DELTA], env);
  await expect.poll(announced, { timeout: 60_000 }).toBe(1);
  child.kill("SIGKILL");
  await ended;
  sandbox.setFaults([]);
  const both = await makeFile("both.csv", csv(rows(8)));
  expect((await command([both, ...DELTA])).code).toBe(8);
  expect((await command(await decisionOn(command, "absent"))).code).toBe(0);
  // Each of the two is a step that was printed.
  expect((await command([first, ...DELTA])).code).toBe(0);
  expect(await command([both, ...DELTA])).toMatchObject({ code: 0 });
  expect(numbers()).toHaveLength(8);
  expect(new Set(numbers())).toEqual(new Set(rows(8).map((row) => row.slice(0, 6))));
});

it("rows that a finished delta push created are not compared with those of other files", async () => {
  const { command, numbers } = await openNights();
  expect((await command([await makeFile("one.csv", csv(rows(5))), ...DELTA])).code).toBe(0);
  expect((await command([await makeFile("two.csv", csv(rows(8))), ...DELTA])).code).toBe(0);
  expect(numbers()).toHaveLength(13);
});
