import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
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
  return (command.match(/(?:'[^']*'|\S)+/g) ?? []).slice(1).map((word) => word.replaceAll("'", ""));
}

it.each<[string, readonly RegExp[], number]>([
  ["added to the ledger", [/ledger add/], 6],
  ["of which the new rows were pushed is added to the ledger", [/^rec-push .*unmatched/, /ledger add/], 8],
])("a file %s sends its updates with the same command again", async (_, steps, held) => {
  const { command, sandbox, numbers } = await openWorld();
  const file = await makeFile("orders.csv", csv(rows(6)));
  const push = [file, "-t", "commandes"];
  expect((await command(push)).code).toBe(0);
  await writeFile(file, csv([...rows(5), ";551006;99,50", ";551007;7,50", "K1;1;1,50", "K2;2;2,50"]));
  const { code, stderr } = await command(push);
  expect(code).toBe(3);
  const answers = stderr.split("\n").filter((line) => /creates (?:none of its rows|2: those)/.test(line));
  expect(answers).toHaveLength(2);
  for (const answer of answers) expect(answer).toMatch(/; then the same command again$/);
  for (const step of steps) expect((await command(printed(stderr, step))).code).toBe(0);
  expect((await command(push)).code).toBe(0);
  expect(numbers()).toHaveLength(held + 2);
  const keys = sandbox.store.snapshot("commandes").map(({ cle }) => cle);
  expect(keys).toEqual(expect.arrayContaining(["K1", "K2"]));
});
