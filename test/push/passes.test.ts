import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const PRELOAD = fileURLToPath(new URL("../support/count-reads.mjs", import.meta.url));
const HEADER = "cle;num_commande;date_billed;actual_billable_amount;libelle\n";

/** Rows long enough for a thread to make the records; the faulty ones are at the end, so that copying rejects reads the whole file. */
const MANY = 500;
const LONG = " de juillet".repeat(900);

function rowsOf(count: number, oddRows: Readonly<Record<number, string>> = {}): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const day = String(13 + (at % 15));
    return oddRows[at] ?? `K${10_000_000 + at};${551_000 + at};${day}/07/2016;1437,5;Commande${LONG} ${at}`;
  });
  return `${rows.join("\n")}\n`;
}

/** How often a push read each file as a whole; reading only a chunk or two is no pass. */
async function countPasses(
  files: readonly string[],
  argv: readonly string[],
  faults: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly passes: readonly number[] }> {
  const sandbox = await openSandbox({ faults: [...faults] });
  const counted = join(await makeDirectory(), "reads");
  const { ended } = startProcess([...files, "--table", "commandes", ...argv], {
    NODE_OPTIONS: `--import ${PRELOAD}`,
    COUNTED_DIRECTORY: dirname(files[0]!),
    COUNTED_READS: counted,
    REC_PUSH_URL: sandbox.url,
    REC_PUSH_TOKEN: sandbox.token,
  });
  const { code } = await ended;
  const reads = (await readFile(counted, "utf8")).trim().split("\n");
  const passes = files.map(async (file) => {
    const own = reads.filter((line) => line.endsWith(` ${file}`));
    const bytes = own.reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
    return Math.round(bytes / (await stat(file)).size);
  });
  return { code, passes: await Promise.all(passes) };
}

describe("an input is read", () => {
  const END = "13/07/2016;1,5;x";
  const FAULTY = { 400: `K10000490;x;${END}`, 401: `K1;y;${END}` };
  const LEDGER = "--exports full --identify-by num_commande";
  const ALL = "--on-invalid skip --results RESULTS";
  const REFUSED = ["refuse=num_commande:551480"];
  type Odd = Readonly<Record<number, string>>;
  type Case = readonly [name: string, odd: Odd, line: string, faults: string[], code: number, passes: number];
  const CASES: readonly Case[] = [
    ["three times where every row is accepted", {}, "", [], 0, 3],
    ["three times where repeated keys are left out", { 7: "K10000001;1;;;x" }, "--on-repeat last", [], 0, 3],
    ["four times where the ledger is asked", { 7: `;1;${END}` }, LEDGER, [], 0, 4],
    ["five times where a row is rejected", { 490: `K1;x;${END}` }, "--on-invalid skip", [], 4, 5],
    ["five times where a row is refused", {}, "", ["refuse=num_commande:551490"], 4, 5],
    ["six times where rows are rejected, superseded and refused", FAULTY, ALL, REFUSED, 4, 6],
    ["four times where only results are written", {}, "--results RESULTS", [], 0, 4],
  ];

  it.each(shareOf(CASES, 2))("%s", async (_, oddRows, line, faults, code, passes) => {
    const argv = line.split(" ").filter((word) => word !== "");
    const file = await makeFile("orders.csv", HEADER + rowsOf(MANY, oddRows));
    const results = join(await makeDirectory(), "results.csv");
    const given = argv.map((arg) => (arg === "RESULTS" ? results : arg));
    expect(await countPasses([file], given, faults)).toEqual({ code, passes: [passes] });
  });

  it("as often beside another one", async () => {
    const first = await makeFile("orders.csv", HEADER + rowsOf(MANY));
    const second = join(dirname(first), "more.csv");
    await writeFile(second, HEADER + rowsOf(600, { 590: "K1;x;13/07/2016;1,5;x" }));
    expect(await countPasses([first, second], ["--on-invalid", "skip"])).toEqual({ code: 4, passes: [3, 5] });
  });
});
