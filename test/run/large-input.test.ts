import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

/** Many chunks of every kind; every thousandth row is invalid. */
const ROWS = 40_000;
const LARGE = `cle;num_commande;date_billed;actual_billable_amount;libelle\n${Array.from(
  { length: ROWS },
  (_, at) =>
    `K${at};${at % 1000 === 7 ? "5,5E+05" : 551_000 + at};${(at % 28) + 1}/07/2016;1 437,50;${"é".repeat(40)}`,
).join("\n")}\n`;

describe("a large input", () => {
  it("gives the records that a check writes, and the same rejects", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("large.csv", LARGE);
    const records = join(await makeDirectory(), "records.ndjson");
    const skip = ["--on-invalid", "skip", "--json"];
    const checked = await runProcess(["check", file, ...skip, "--records", records]);
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const pushed = await runProcess([file, "--table", "commandes", ...skip], { env });
    expect([checked.code, pushed.code]).toEqual([4, 4]);
    const expected = (await readFile(records, "utf8")).trimEnd().split("\n");
    const held = new Map(heldBy(sandbox).map((fiche) => [fiche["cle"], fiche]));
    expect(held.size).toBe(expected.length);
    expect(expected.filter((text) => !isHeld(text, held))).toEqual([]);
    const rejects = (text: string): string[] => text.split("\n").filter((line) => line.includes('"reject"'));
    expect(rejects(pushed.stdout)).toHaveLength(ROWS / 1000);
    expect(rejects(pushed.stdout)).toEqual(rejects(checked.stdout));
  });

  it("counts rows as it reads them with --no-survey, and stops at the first invalid one", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("large.csv", LARGE.replace(";551999;", ";x;"));
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const pins = ["--no-survey", "--date-format", "DD/MM/YYYY", "--decimal", ",", "--json"];
    const stopped = await runProcess([file, "--table", "commandes", ...pins], { env });
    expect(JSON.parse(stopped.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      event: "summary",
      read: 8,
      accepted: 0,
      rejected: 1,
      notSent: 7,
      exitCode: 3,
    });
    const argv = [file, "--table", "factures", ...pins, "--on-invalid", "skip"];
    const skipped = await runProcess(argv, { env });
    expect(JSON.parse(skipped.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      read: ROWS,
      accepted: ROWS - ROWS / 1000 - 1,
      rejected: ROWS / 1000 + 1,
      exitCode: 4,
    });
  });

  it("stops where the file is no longer what was surveyed, with nothing else sent", async () => {
    const sandbox = await openSandbox({ faults: ["latency=30"] });
    const file = await makeFile("large.csv", LARGE);
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const argv = [file, "--table", "commandes", "--on-invalid", "skip", "--concurrency", "1"];
    const push = startProcess(argv, env);
    await push.waitForStdout(/update +500 rows/);
    await truncate(file, 1000);
    const { code, stdout, stderr } = await push.ended;
    expect(stderr).toContain("the file changed while it was being read");
    expect(code).toBe(4);
    expect(stdout).toMatch(/not sent/);
    const wrong = heldBy(sandbox).filter(({ libelle }) => libelle !== "é".repeat(40));
    expect(wrong).toEqual([]);
  });
});

function isHeld(
  text: string,
  held: ReadonlyMap<string | undefined, Readonly<Record<string, string>>>,
): boolean {
  const record = JSON.parse(text) as Record<string, string>;
  return JSON.stringify(held.get(record["cle"])) === JSON.stringify(record);
}
