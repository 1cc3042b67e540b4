import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { columnName, textRow, workbookOf } from "../support/workbook.ts";

const STATES = Array.from({ length: 25 }, (_, at) => `state_${at}`);

/** A sheet of texts with the dates in column 28, which is AB. */
function sheetOf(...days: readonly string[]): Buffer {
  const rows = [
    ["cle", "num_commande", ...STATES, "date_billed"],
    ...days.map((day, at) => [`K${at}`, String(at)].concat(STATES, day)),
  ];
  return workbookOf({ sheets: [{ rows: rows.map((texts, at) => textRow(at + 1, texts)).join("") }] });
}

describe("a message about a cell of a workbook", () => {
  it("names the cell as a spreadsheet does", async () => {
    const file = await makeFile("orders.xlsx", sheetOf("2016-07-05", "31/06/2016"));
    const { code, stderr } = await runMain(["check", file, "-t", "commandes", "--other-columns", "send"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/orders\.xlsx:AB3: column 28 "date_billed" holds "31\/06\/2016": 31 June/);
    const { stdout } = await runMain(["check", file, "-t", "commandes", "--other-columns", "send", "--json"]);
    const reject = stdout.split("\n").find((line) => line.includes('"event":"reject"'));
    expect(JSON.parse(reject ?? "{}")).toMatchObject({ line: 3, column: 28, cell: "AB3" });
  });

  it("names the cells of several rows, also where rows are rejected during a push and in its report", async () => {
    const file = await makeFile("orders.xlsx", sheetOf("2016-07-05", "x", "x", "2016-07-05", "x"));
    const page = join(dirname(file), "report.html");
    const sandbox = await openSandbox();
    const { code, stderr } = await pushTo(sandbox, [file, "--on-invalid", "skip", "--report", page]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/orders\.xlsx: 3 x column 28 "date_billed" holds "x": .*, cells AB3, AB4, AB6/);
    expect(await readFile(page, "utf8")).toContain("AB3, AB4, AB6");
    const annotated = await runMain(["check", file, "-t", "commandes", "--other-columns", "send"], {
      env: { GITHUB_ACTIONS: "true" },
    });
    expect(annotated.stdout + annotated.stderr).toMatch(/::error .*line=3.*::AB3, column 28/);
  });

  it("names a column by its letters too", async () => {
    const rows = textRow(1, ["cle", "num_comande"]) + textRow(2, ["K", "1"]);
    const { stderr } = await runMain([
      "check",
      await makeFile("orders.xlsx", workbookOf({ sheets: [{ rows }] })),
    ]);
    expect(stderr).toContain('column 2 (B) "num_comande"');
  });

  it("keeps line and column for a CSV", async () => {
    const file = await makeFile("orders.csv", "cle,date_billed\nA,31/06/2016\n");
    const { stderr } = await runMain(["check", file, "-t", "commandes", "--other-columns", "send"]);
    expect(stderr).toMatch(/orders\.csv:2: column 2 "date_billed" holds/);
  });
});

describe("a workbook that is packed once more", () => {
  it("is pushed and resumed like any other", async () => {
    const sandbox = await openSandbox({ faults: ["status=503,skip=1,times=1"] });
    const env = { XDG_STATE_HOME: await makeDirectory() };
    const file = await makeFile("orders.xlsx.gz", gzipSync(sheetOf("2016-07-05", "2016-07-06")));
    const options = ["--batch-size", "1", "--retries", "0", "--max-failed", "1", "--concurrency", "1"];
    expect((await pushTo(sandbox, [file, ...options], { env })).code).toBe(7);
    expect((await pushTo(sandbox, [file, ...options], { env })).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(2);
  });
});

describe("a signal while a workbook is read", () => {
  // Numbers with many digits compress badly, so that there is enough to read.
  const row = (at: number): string =>
    `<row r="${at}">${Array.from({ length: 8 }, (_, column) => `<c r="${columnName(column)}${at}"><v>${(at * 7919 + column * 104_729) % 999_983}.${at % 89}</v></c>`).join("")}</row>`;
  const header = textRow(1, ["a_amount", "b_amount", "c_amount", "d_amount", "e", "f", "g", "h"]);
  const big = (): Buffer => {
    const rows = Array.from({ length: 60_000 }, (_, at) => row(at + 2)).join("");
    return workbookOf({ sheets: [{ rows: header + rows }] });
  };

  it.each([
    ["SIGINT", 130, "orders.xlsx"],
    ["SIGTERM", 143, "orders.xlsx.gz"],
  ] as const)("%s ends it, with nothing sent and nothing left behind", async (signal, code, name) => {
    const sandbox = await openSandbox();
    const file = await makeFile(name, name.endsWith(".gz") ? gzipSync(big(), { level: 0 }) : big());
    const [temporary, state] = [await makeDirectory(), await makeDirectory()];
    const env = {
      TMPDIR: temporary,
      XDG_STATE_HOME: state,
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
    };
    const { child, ended } = startProcess([file, "-t", "commandes", "--other-columns", "send"], env);
    const copies = async (): Promise<string[]> =>
      [
        ...(await readdir(temporary, { recursive: true })),
        ...(await readdir(state, { recursive: true })),
      ].filter((path) => /input-[0-9a-f]+$/.test(path));
    while ((await copies()).length === 0 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill(signal);
    const end = await ended;
    expect([end.code, end.stderr]).toEqual([code, expect.not.stringContaining("    at ")]);
    expect(end.stdout + end.stderr).not.toMatch(/Excel, sheet/);
    expect(await copies()).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
    expect(heldBy(sandbox)).toEqual([]);
  });
});
