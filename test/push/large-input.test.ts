import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { shareOf } from "../support/draws.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { type ProcessResult, runProcess, startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

/** A file of 4 MiB has its records made by a thread: few long rows are the quickest; every fortieth is invalid. */
const ROWS = 400;
const INVALID_EVERY = 40;
const LONG = "réglée à la commande ".repeat(550);
const LARGE_ROWS = Array.from(
  { length: ROWS },
  (_, at) =>
    `K${at};${at % INVALID_EVERY === 7 ? "5,5E+05" : 551_000 + at};${(at % 28) + 1}/07/2016;1 437,50;${LONG}\n`,
).join("");
const LARGE = `cle;num_commande;date_billed;actual_billable_amount;libelle\n${LARGE_ROWS}`;

const HEADER = "cle;date_billed;actual_billable_amount;libelle\n";
const DATES = "cle;date_billed;libelle\n";
/** So many rows, by their position. */
const rowsOf = (cells: (at: number) => string, count = ROWS): string =>
  Array.from({ length: count }, (_, at) => `${cells(at)}\n`).join("");
const dated = (key: number, first: string, last: string): string =>
  DATES + rowsOf((at) => `K${key + at};${at < 0.95 * ROWS ? first : last};${LONG}`);
const member = (at: number): string =>
  JSON.stringify({ cle: `K${at}`, libelle: LONG, ...(at > 150 ? { statut: "payé" } : {}) });

const TOTALLED = `${HEADER}${rowsOf((at) => `K${at};03/26/2024;1,5;${LONG}`)}Total;;3000,0;\n`;
const late = (at: number): string => `K${at};26/03/2024;1,5;${"ete ".repeat(2_800)}${at < 375 ? "e" : "é"}`;
const LATE = HEADER + rowsOf(late, 450);
const MEMBERS = `[${Array.from({ length: ROWS }, (_, at) => member(at)).join(",\n")}]`;

const SETTLED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["the order of dates", ["03/04/2024;1"], ["26/03/2024;1"]],
  ["the decimal mark", ["03/26/2024;1 437"], ["03/26/2024;1,437", "03/26/2024;1,5"]],
  ["nothing but in the first rows", ["26/03/2024;1,5"], ["03/04/2024;1,437"]],
];

type Large = readonly [name: string, files: readonly (string | Buffer)[], records: number, rejected: number];

const LARGE_INPUTS: readonly Large[] = [
  ["with invalid rows", [LARGE], ROWS - ROWS / INVALID_EVERY, ROWS / INVALID_EVERY],
  [
    "of several files, whose rows each say how they are read",
    [
      dated(0, "26/03/2024", "03/04/2024"),
      // Only the end of it says which of the numbers is the month, when the thread has begun.
      dated(100_000, "2024-04-03", "26.03.2024"),
      dated(200_000, "03/26/2024", "04/03/2024"),
      `${DATES}S1;2024-04-03;petit\n`,
    ],
    3 * ROWS + 1,
    0,
  ],
  ["that ends with a total, which is no record", [TOTALLED], ROWS, 1],
  ["that shows its encoding when its records are half made", [Buffer.from(LATE, "latin1")], 450, 0],
  ["of JSON, with members that come late", [MEMBERS], ROWS, 0],
  ["of lines of JSON, with members that come late", [rowsOf(member)], ROWS, 0],
  ...SETTLED.map(([name, [first], last]): Large => {
    const rows = rowsOf((at) => `K${at};${last.at(at - ROWS) ?? first!};${LONG}`);
    return [`all of whose rows say how it is read: ${name}`, [HEADER + rows], ROWS, 0];
  }),
];

describe("a large input", () => {
  it.each(shareOf(LARGE_INPUTS, 5))(
    "%s gives the records and rejects of a check",
    async (_, contents, count, rejected) => {
      const sandbox = await openSandbox();
      const files: string[] = [];
      const records: string[] = [];
      const rejects: string[] = [];
      for (const [at, content] of contents.entries()) {
        const file = await makeFile(`${at}.csv`, content);
        const path = join(await makeDirectory(), "records.ndjson");
        const checked = await runProcess(["check", file, ...SKIP, "--records", path]);
        files.push(file);
        rejects.push(...rejectsIn(checked));
        records.push(...(await readFile(path, "utf8")).trimEnd().split("\n"));
      }
      const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
      const pushed = await runProcess([...files, "--table", "commandes", ...SKIP], { env });
      expect(pushed.code).toBe(rejected > 0 ? 4 : 0);
      expect(rejectsIn(pushed)).toEqual(rejects);
      expect(rejects).toHaveLength(rejected);
      expect(records).toHaveLength(count);
      expect(heldBy(sandbox)).toHaveLength(count);
      expect(notHeld(records, sandbox)).toEqual([]);
    },
  );

  const DAYS: readonly (readonly [string, string])[] = [
    ["only its last row says how it is read", "09"],
    ["the first rows say how it is read", "26"],
  ];

  it.each(shareOf(DAYS, 1))(
    "is compared with the ledger and with the files before it, where %s",
    async (_, day) => {
      const sandbox = await openSandbox();
      const XDG_STATE_HOME = await makeDirectory();
      const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token, XDG_STATE_HOME };
      const fileOf = (name: string, from: number, to: number): Promise<string> => {
        const rows = Array.from({ length: to - from }, (_, at) => {
          const number = from + at;
          const key = number % 3 === 0 ? `K${number}` : "";
          return `${key};${number};04/${day}/2024;${number},5;${LONG}${number}\n`;
        });
        const last = `Z${name};${to};04/26/2024;1,5;fin\nTotal;;;90000,5;\n`;
        const header = "cle;num_commande;date_billed;actual_billable_amount;libelle\n";
        return makeFile(name, header + rows.join("") + last);
      };
      const words = "--table commandes --on-invalid skip --exports full";
      const more = words.split(" ");
      const first = await runProcess([await fileOf("1.csv", 200, 400), ...more], { env });
      expect(first.code).toBe(4);
      const created = sandbox.store.snapshot("commandes").length;
      expect(created).toBe(201);
      const files = [await fileOf("2.csv", 200, 600), await fileOf("3.csv", 550, 600)];
      const { stdout, code } = await runProcess([...files, ...more], { env });
      expect(code).toBe(4);
      expect(stdout).toContain("167 skipped");
      const numbers = heldBy(sandbox).map(({ num_commande }) => num_commande);
      // Each order once, and the last row of each file, whose number the next file has too.
      expect(numbers).toHaveLength(403);
      expect(new Set(numbers).size).toBe(401);
    },
  );

  it.each(shareOf([[["--on-repeat", "last"]], [[]]], 1))(
    "is sent as it was surveyed, also where it is cut off meanwhile (%j)",
    async (more) => {
      const { ended, wrong } = await pushAndCutOff(more);
      expect(ended.stderr).toContain("the file changed while it was being read");
      expect(ended.code).toBe(4);
      expect(ended.stdout).toMatch(/400 rows read: [\d,]+ accepted, .*[\d,]+ not sent/);
      expect(ended.stdout).toContain("bring the file back as it was, then run the same command again");
      expect(wrong).toEqual([]);
    },
  );

  it("is interrupted at once, and goes on where it ended", async () => {
    const sandbox = await openSandbox({ faults: ["latency=20"] });
    const file = await makeFile("large.csv", LARGE);
    const env = {
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
      XDG_STATE_HOME: await makeDirectory(),
    };
    const skip = ["--table", "commandes", "--on-invalid", "skip", "--batch-size", "25"];
    const argv = [file, "-v", "--concurrency", "1", ...skip];
    const push = startProcess(argv, env);
    await push.waitForStdout(/update +25 rows/);
    push.child.kill("SIGINT");
    expect((await push.ended).code).toBe(130);
    expect(heldBy(sandbox).length).toBeLessThan(ROWS / 2);
    const { code } = await runProcess(argv.with(3, "8"), { env });
    expect(code).toBe(4);
    expect(heldBy(sandbox)).toHaveLength(ROWS - ROWS / INVALID_EVERY);
  });
});

const SKIP = ["--on-invalid", "skip", "--json"];

/** The events of rejected rows, without their time. */
function rejectsIn({ stdout }: ProcessResult): readonly string[] {
  const lines = stdout.split("\n").filter((line) => line.includes('"reject"'));
  return lines.map((line) => line.replace(/"time":"[^"]*",/, ""));
}

/** Pushes to a slow service and truncates the file after the first answer; returns the records that were sent wrong. */
async function pushAndCutOff(
  more: readonly string[],
  text = LARGE,
  fault = "latency=30",
): Promise<{
  readonly ended: ProcessResult;
  readonly wrong: readonly Readonly<Record<string, string>>[];
}> {
  const sandbox = await openSandbox({ faults: [fault] });
  const file = await makeFile("large.csv", text);
  const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const skip = ["--on-invalid", "skip", "--batch-size", "25", "--concurrency", "1"];
  const argv = [file, "-v", "--table", "commandes", ...skip, ...more];
  const push = startProcess(argv, env);
  await push.waitForStdout(/update +25 rows/);
  await truncate(file, 1000);
  const ended = await push.ended;
  return { ended, wrong: heldBy(sandbox).filter(({ libelle }) => libelle !== LONG) };
}

/** The records that the sandbox does not hold exactly. */
function notHeld(records: readonly string[], sandbox: Sandbox): readonly string[] {
  const held = new Map(heldBy(sandbox).map((fiche) => [fiche["cle"], fiche]));
  return records.filter((text) => !isHeld(text, held));
}

function isHeld(
  text: string,
  held: ReadonlyMap<string | undefined, Readonly<Record<string, string>>>,
): boolean {
  const record = JSON.parse(text) as Record<string, string>;
  return JSON.stringify(held.get(record["cle"])) === JSON.stringify(record);
}
