import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const IDENTITY = ["-t", "commandes", "--exports", "full", "--identify-by", "num_commande"];

it("a record in doubt whose values have changed since is in doubt, not created with other values", async () => {
  const { sandbox, command, numbers } = await openWorld();
  const orders = await makeFile("orders.csv", `${HEADER}\n551001;13/07/2016;10,50\n`);
  const results = join(dirname(orders), "results.ndjson");
  sandbox.setFaults(["drop=before,kind=create,times=1"]);
  expect((await command([orders, ...IDENTITY])).code).toBe(8);
  sandbox.setFaults([]);
  await writeFile(orders, `${HEADER}\n551001;13/07/2016;11,50\n`);
  const told = await command([orders, ...IDENTITY, "--results", results]);
  expect(told).toMatchObject({ code: 8, stderr: expect.not.stringContaining("with other values") });
  expect(told.stderr).toContain("is in doubt since the run");
  expect(await readFile(results, "utf8")).toContain("an earlier push left it in doubt");
  const [, run = ""] = /in doubt since the run (\S+?):/.exec(told.stderr) ?? [];
  expect((await command(await decisionOn(command, "absent", run))).code).toBe(0);
  expect((await command([orders, ...IDENTITY])).code).toBe(0);
  expect(numbers()).toHaveLength(1);
});

const RECORD = ["-t", "commandes", "--exports", "full", "--identify-by", "record"];
const rows = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${551_001 + at};13/07/2016;1${at},50\n`).join("");

/** A run without an identity that left five records in doubt, which are not there. */
async function openDoubt() {
  const world = await openWorld(["drop=before,kind=create,times=1"]);
  const orders = await makeFile("orders.csv", `${HEADER}\n${rows(5)}`);
  expect((await world.command([orders, ...RECORD])).code).toBe(8);
  world.sandbox.setFaults([]);
  const [run = ""] = await world.runs();
  const write = (content: string) => writeFile(orders, `${HEADER}\n${content}`);
  return { ...world, orders, run, write };
}

it.each(["absent", "resend"] as const)(
  "records in doubt are found by an identity that is given later, and created once they are said to be %s",
  async (answer) => {
    const { command, numbers, orders, run, write } = await openDoubt();
    await write(rows(6).replace("551003;13/07", "551003;14/07"));
    const told = await command([orders, ...IDENTITY]);
    expect(told).toMatchObject({ code: 8, stderr: expect.stringContaining("5 of these are in doubt since") });
    expect(numbers()).toHaveLength(1);
    await write(rows(5));
    expect((await command(await decisionOn(command, answer, run))).code).toBe(0);
    await write(rows(7));
    expect((await command([orders, ...IDENTITY])).code).toBe(0);
    expect(new Set(numbers()).size).toBe(7);
    expect(numbers()).toHaveLength(7);
  },
);

it("a run that is not at its end leaves a record said to be absent to a push after it, which it names", async () => {
  const { sandbox, command, numbers } = await openWorld([
    "drop=before,kind=create,times=1",
    "status=401,skip=1",
  ]);
  const orders = await makeFile("orders.csv", `${HEADER}\n${rows(4)}`);
  const push = [orders, ...RECORD, "--batch-size", "1", "--concurrency", "1"];
  expect((await command(push)).code).toBe(8);
  sandbox.setFaults(["status=401"]);
  await command(await decisionOn(command, "absent"));
  sandbox.setFaults([]);
  const rest = await command(push);
  expect(rest).toMatchObject({ code: 0, stdout: expect.stringContaining("push the same file again") });
  expect(numbers()).toHaveLength(3);
  const last = await command(push);
  expect(last).toMatchObject({ code: 0, stdout: expect.not.stringContaining("Next:") });
  expect(new Set(numbers()).size).toBe(4);
  expect(numbers()).toHaveLength(4);
});

it("a record said to be absent and meanwhile added to the ledger is not created by a push after it", async () => {
  const { sandbox, command, numbers } = await openWorld([
    "drop=after,kind=create,times=1",
    "status=401,skip=1",
  ]);
  const orders = await makeFile("orders.csv", `${HEADER}\n${rows(4)}`);
  const push = [orders, ...RECORD, "--batch-size", "1", "--concurrency", "1"];
  expect((await command(push)).code).toBe(8);
  expect(numbers()).toHaveLength(1);
  sandbox.setFaults(["status=401"]);
  await command(await decisionOn(command, "absent"));
  sandbox.setFaults([]);
  const there = await makeFile("there.csv", `${HEADER}\n${rows(1)}`);
  expect((await command(["ledger", "add", there, ...RECORD.slice(0, 2)])).code).toBe(0);
  expect((await command(push)).code).toBe(0);
  const last = await command(push);
  expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining("skipped") });
  expect(new Set(numbers()).size).toBe(4);
  expect(numbers()).toHaveLength(4);
});

it("rows of a delta that a repeat has sent are not created by a file that held them meanwhile", async () => {
  const { command, numbers } = await openWorld(["drop=before,kind=create,times=1"]);
  const delta = ["-t", "commandes", "--exports", "delta", "--batch-size", "1", "--concurrency", "1"];
  const first = await makeFile("first.csv", `${HEADER}\n${rows(4)}`);
  const both = await makeFile("both.csv", `${HEADER}\n${rows(6)}`);
  expect((await command([first, ...delta])).code).toBe(8);
  expect((await command([both, ...delta])).code).toBe(8);
  expect((await command(await decisionOn(command, "absent"))).code).toBe(0);
  for (const file of [first, both]) expect((await command([file, ...delta])).code).toBe(0);
  expect(new Set(numbers()).size).toBe(6);
  expect(numbers()).toHaveLength(6);
});

it("the command that forgets a record and goes on leaves it to a push that it names, under --quiet too", async () => {
  const { sandbox, command, numbers } = await openWorld([
    "drop=before,kind=create,times=1",
    "status=401,skip=1",
  ]);
  const orders = await makeFile("orders.csv", `${HEADER}\n${rows(4)}`);
  const push = [orders, ...RECORD, "--batch-size", "1", "--concurrency", "1"];
  expect((await command(push)).code).toBe(8);
  sandbox.setFaults([]);
  const ended = await command([...(await decisionOn(command, "absent")), "--quiet"]);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("push the same file again") });
  expect(numbers()).toHaveLength(3);
  expect((await command(push)).code).toBe(0);
  expect(new Set(numbers()).size).toBe(4);
  expect(numbers()).toHaveLength(4);
});
