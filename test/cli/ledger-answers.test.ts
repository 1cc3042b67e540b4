import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "cle;num_commande;actual_billable_amount";
const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `;${551_001 + at};1${at},50`);
const csv = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");

/** The words of a printed command that begins like this, without the remark after it. */
function printed(stderr: string, beginning: RegExp): string[] {
  const line = stderr.split("\n").find((text) => beginning.test(text.trim())) ?? "";
  const [command = ""] = line.trim().split("   ");
  return splitWords(command).slice(1);
}

it.each([
  ["commandes", false],
  ["commandes", true],
  ["mes commandes", false],
  ["mes commandes", true],
])(
  "a file added to the ledger of %s sends its updates with the same command again",
  async (table, hasNew) => {
    const { command, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", csv(rows(6)));
    const push = [file, "-t", table];
    expect((await command(push)).code).toBe(0);
    await writeFile(file, csv([...rows(5), ";551006;99,50", ";551007;7,50", "K1;1;1,50", "K2;2;2,50"]));
    const { code, stderr } = await command(push);
    expect(code).toBe(3);
    expect(stderr).toContain("the 2 that match none are in lines 7, 8\n");
    expect(stderr).toMatch(/creates none of its rows.*; then the same command again$/m);
    const alone = await makeFile("new.csv", csv([";551007;7,50"]));
    const steps = [...(hasNew ? [[alone, "-t", table]] : []), printed(stderr, /ledger add/)];
    for (const step of steps) expect((await command(step)).code).toBe(0);
    expect((await command(push)).code).toBe(0);
    const there = sandbox.store.snapshot(table);
    expect(there).toHaveLength(hasNew ? 9 : 8);
    const keys = there.map(({ cle }) => cle);
    expect(keys).toEqual(expect.arrayContaining(["K1", "K2"]));
  },
);

const SLOW = ["--batch-size", "2", "--concurrency", "1", "--retries", "0"];

/** A run with the second request's answer lost; the record in doubt is the one of the third line. */
async function openDoubt(faults: readonly string[] = ["drop=before,skip=1,times=1"]) {
  const world = await openWorld([...faults]);
  const file = await makeFile("orders.csv", csv(rows(6)));
  const push = [file, "-t", "commandes"];
  await world.command([...push, ...SLOW]);
  world.sandbox.setFaults([]);
  const [run = ""] = await world.runs();
  const alone = await makeFile("alone.csv", csv(rows(2).slice(1)));
  return { ...world, file, push, run, alone: [alone, "-t", "commandes"] };
}

it.each([
  ["open, and the record is not there", false, "absent", 6],
  ["open, and the record is there", false, "applied", 5],
  ["given up, and the record is not there", true, "absent", 6],
  ["given up, and the record is there", true, "applied", 5],
])(
  "a file with a record in doubt alone ends with 8 and the command that settles it (%s)",
  async (_, isGivenUp, answer, held) => {
    const { command, numbers, run, alone } = await openDoubt();
    if (isGivenUp) await command(["runs", "abandon", run]);
    const { code, stdout, stderr } = await command(alone);
    expect(code).toBe(8);
    expect(stderr).toContain("1 of 1 create is in doubt since an earlier push");
    expect(stderr).not.toMatch(/ledger add|--again/);
    expect(stderr.includes("is still open (6 rows: 5 accepted, 1 in doubt)")).toBe(!isGivenUp);
    const [, step = ""] =
      new RegExp(`rec-push (resume \\S+ --in-doubt [0-9a-f]{8}=${answer}), then the same`).exec(stdout) ?? [];
    expect((await command(step.split(" "))).code).toBe(0);
    const again = await command(alone);
    expect(again.code).toBe(answer === "absent" ? 0 : 3);
    expect(numbers()).toHaveLength(held);
    expect(new Set(numbers()).size).toBe(held);
  },
);

it("the question names an open run of the matching records first, with what settles it", async () => {
  const { command, file, push, run, numbers } = await openDoubt(["status=401,skip=1"]);
  await writeFile(file, csv([...rows(1), ";551011;7,50", ";551012;8,50"]));
  const { code, stderr } = await command(push);
  expect(code).toBe(3);
  expect(stderr).toContain(
    `run ${run} of ${file} is still open (6 rows: 1 accepted, 5 not sent); settle it first`,
  );
  expect(stderr).toContain("has changed since: bring it back as it was, then rec-push resume");
  expect(stderr.indexOf("is still open")).toBeLessThan(stderr.indexOf("ledger add"));
  await writeFile(file, csv(rows(6)));
  expect((await command(["resume", run])).code).toBe(0);
  expect(numbers()).toHaveLength(6);
});

it("a push that shares records in doubt with an open run that has more to send names both", async () => {
  const { command, file, push, run } = await openDoubt(["drop=before,skip=1,times=1", "status=401,skip=1"]);
  await writeFile(file, csv([...rows(3), ";551011;7,50", ";551012;8,50", ";551013;8,50", ";551014;8,50"]));
  const { code, stdout, stderr } = await command(push);
  expect(code).toBe(8);
  expect(stderr).toContain(
    `the run ${run} of ${file} is still open (6 rows: 1 accepted, 1 in doubt, 4 not sent)`,
  );
  expect(stderr).toContain(`rec-push runs abandon ${run}`);
  expect(stdout).toMatch(new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=absent`));
});

const IDENTITY = [
  "--exports",
  "full",
  "--identify-by",
  "num_commande",
  "--identify-by",
  "actual_billable_amount",
];

/** A file of which one earlier row is missing and one is new, pushed with an identity that the earlier push did not keep. */
async function openUnidentified() {
  const world = await openWorld();
  const before = await makeFile("before.csv", csv(rows(36)));
  expect((await world.command([before, "-t", "commandes"])).code).toBe(0);
  const file = await makeFile("orders.csv", csv([...rows(36).slice(1), ";551099;9,50"]));
  const push = [file, "-t", "commandes", ...IDENTITY];
  const asked = await world.command(push);
  expect(asked.code).toBe(3);
  expect(asked.stderr).toContain("1 record was created before without this identity");
  return { ...world, before, file, stderr: asked.stderr };
}

it("the question about an identity that earlier pushes did not keep names a field that they did, which leads on", async () => {
  const { command, file, stderr, numbers } = await openUnidentified();
  const [, options = ""] =
    /^ +(--exports full .*?) {3}each file holds the earlier rows again/m.exec(stderr) ?? [];
  expect(options).toBe("--exports full --identify-by num_commande");
  expect((await command([file, "-t", "commandes", ...options.split(" ")])).code).toBe(0);
  expect(numbers()).toHaveLength(37);
});

it("an identity that a push did not keep comes into the ledger with its file, as the question says", async () => {
  const { command, before, file, stderr, numbers } = await openUnidentified();
  for (const step of [/ledger remove EARLIER_FILE/, /ledger add EARLIER_FILE/]) {
    const words = printed(stderr, step).map((word) => (word === "EARLIER_FILE" ? before : word));
    expect((await command(words)).code).toBe(0);
  }
  expect((await command([file, "-t", "commandes", ...IDENTITY])).code).toBe(0);
  expect(numbers()).toHaveLength(37);
});
