import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { BIN, runProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { textRow, workbookOf, type TestWorkbook } from "../support/workbook.ts";
import { zipOf } from "../support/zip.ts";

const run = promisify(execFile);
const HEADER = textRow(3, ["cle", "num_commande", "date_billed", "actual_billable_amount", "note"]);

interface Order {
  readonly key: string;
  readonly number: string;
  readonly day: string;
  readonly amount: string;
  readonly note?: string;
}

/** A row; an amount in quotes is a text. */
function orderRow(row: number, { key, number, day, amount, note = "" }: Order): string {
  const text = (column: string, value: string): string =>
    `<c r="${column}${row}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const paid = amount.startsWith("'") ? text("D", amount.slice(1)) : `<c r="D${row}"><v>${amount}</v></c>`;
  const day1 = `<c r="C${row}" s="1"><v>${day}</v></c>`;
  return `<row r="${row}">${text("A", key)}<c r="B${row}"><v>${number}</v></c>${day1}${paid}${text("E", note)}</row>`;
}

function ordersOf(orders: readonly Order[], more: Partial<TestWorkbook> = {}): Buffer {
  const rows = orders.map((order, at) => orderRow(at + 4, order)).join("");
  const title = textRow(1, ["Export of May"]);
  return workbookOf({ formats: [14], sheets: [{ name: "May", rows: title + HEADER + rows }], ...more });
}

const GOOD: readonly Order[] = [
  { key: "A1", number: "551035", day: "42556", amount: "1437.50", note: "a &lt; b" },
  { key: "A2", number: "551036", day: "42557", amount: "0.10" },
];
const RECORDS = [
  {
    cle: "A1",
    num_commande: "551035",
    date_billed: "2016-07-05",
    actual_billable_amount: "1437.50",
    note: "a < b",
  },
  { cle: "A2", num_commande: "551036", date_billed: "2016-07-06", actual_billable_amount: "0.10" },
];

/** Runs the printed command in a shell. */
async function follow(stdout: string, cwd: string, env: Record<string, string>): Promise<void> {
  const command = /then push that file, which is CSV: (rec-push .*)/.exec(stdout)?.[1] ?? "";
  const shell = command.replace(/^rec-push/, `'${process.execPath}' '${BIN}'`);
  await run("sh", ["-c", shell], { cwd, env: { ...process.env, ...env } });
}

describe("a push of a workbook", () => {
  it.each([
    [
      "a header that is not at the top",
      [
        ["Name", "Tables"],
        ["a", "b", "c"],
        ["x", "y", "z"],
      ],
    ],
    [
      "columns that are not declared",
      [
        ["Sheet name", "Rows"],
        ["May", "2"],
        ["June", "3"],
      ],
    ],
  ])("names the sheet that it reads, and the others, with %s", async (_, summary) => {
    const cover = summary.map((cells, at) => textRow(at + 1, cells)).join("");
    const orders = HEADER + GOOD.map((order, at) => orderRow(at + 4, order)).join("");
    const sheets = [
      { name: "Export summary", rows: cover },
      { name: "May 2016", rows: orders },
    ];
    const file = await makeFile("orders.xlsx", workbookOf({ formats: [14], sheets }));
    const { code, stderr } = await runMain(["check", file], { others: "nothing" });
    expect(code).toBe(3);
    expect(stderr).toContain(
      'the sheet "Export summary" is read, the first that holds a table; --sheet "May 2016" reads another',
    );
    const named = await runMain(["check", file, "--sheet", "Export summary"]);
    expect(named.stderr).not.toContain("reads another");
  });

  it("sends what its cells hold", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("orders.xlsx", ordersOf(GOOD));
    const { code, stderr, stdout } = await pushTo(sandbox, [file]);
    expect(code).toBe(0);
    expect(stderr).toContain('Excel, sheet "May", header in row 3, 2 rows: 2 updates, 0 creates');
    expect(stdout).toContain("lines 4-5");
    expect(heldBy(sandbox)).toEqual(RECORDS);
  });

  it("takes it from standard input, beside files that are packed", async () => {
    const sandbox = await openSandbox();
    const csv = "cle,num_commande\nB1,1\n";
    const zip = await makeFile("b.zip", zipOf([{ name: "b.csv", data: csv }]));
    const gz = await makeFile(
      "c.ndjson.gz",
      Buffer.concat([
        gzipSync('{"cle":"C1","num_commande":2}\n'),
        gzipSync('{"cle":"C2","num_commande":3}\n'),
      ]),
    );
    const { code, stderr } = await pushTo(sandbox, ["-", zip, gz], { stdin: ordersOf(GOOD) });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(heldBy(sandbox)).toEqual([
      ...RECORDS,
      { cle: "B1", num_commande: "1" },
      { cle: "C1", num_commande: "2" },
      { cle: "C2", num_commande: "3" },
    ]);
  });

  it("sends nothing of one with a wrong byte", async () => {
    const sandbox = await openSandbox();
    const bytes = ordersOf(GOOD);
    const at = bytes.indexOf("book/cells-0.xml") + 40;
    bytes[at]! ^= 0x10;
    const { code, stderr } = await pushTo(sandbox, [await makeFile("orders.xlsx", bytes)]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/orders\.xlsx: the file is damaged: .*cells-0\.xml/);
    expect(heldBy(sandbox)).toEqual([]);
  });

  it("goes on where it ended", async () => {
    const sandbox = await openSandbox({ faults: ["status=503,skip=1,times=1"] });
    const env = { XDG_STATE_HOME: await makeDirectory() };
    const file = await makeFile("orders.xlsx", ordersOf(GOOD));
    const options = ["--batch-size", "1", "--retries", "0", "--max-failed", "1", "--concurrency", "1"];
    const first = await pushTo(sandbox, [file, ...options], { env });
    expect([first.code, heldBy(sandbox).length]).toEqual([7, 1]);
    expect((await pushTo(sandbox, [file, ...options], { env })).code).toBe(0);
    expect(heldBy(sandbox)).toEqual(RECORDS);
  });

  it("creates nothing again of the same cells in another file", async () => {
    const sandbox = await openSandbox();
    const env = { XDG_STATE_HOME: await makeDirectory() };
    const creates = GOOD.map((order) => ({ ...order, key: "" }));
    const file = await makeFile("orders.xlsx", ordersOf(creates));
    expect((await pushTo(sandbox, [file], { env })).code).toBe(0);
    const again = await makeFile("saved-again.xlsx", ordersOf(creates, { zip: { isLarge: true } }));
    expect((await pushTo(sandbox, [again], { env })).stderr).toMatch(/pushed before|already/);
    expect(heldBy(sandbox)).toHaveLength(2);
  });

  it("reads the sheet that an option or a config names, and is done with it", async () => {
    const orders = (key: string): string => textRow(1, ["cle", "num_commande"]) + textRow(2, [key, "7"]);
    const sheets = [
      { name: "May", rows: orders("M") },
      { name: "June 2016", rows: orders("J") },
    ];
    const file = await makeFile("orders.xlsx", workbookOf({ sheets }));
    const unnamed = await runMain(["check", file, "--pinned"]);
    expect([unnamed.code, unnamed.stderr]).toEqual([3, expect.stringContaining("--sheet May, then --sheet")]);
    const cwd = await makeDirectory();
    const wrote = await runMain(["init", file, "--table", "commandes", "--sheet", "June 2016", "--yes"], {
      cwd,
    });
    expect(wrote.code).toBe(0);
    const config = JSON.parse(await readFile(join(cwd, "rec-push.config.json"), "utf8")) as object;
    expect(config).toMatchObject({ tables: { commandes: { sheet: "June 2016" } } });
    const sandbox = await openSandbox();
    expect((await pushTo(sandbox, [file, "--pinned"], { cwd })).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([{ cle: "J", num_commande: "7" }]);
  });

  it.each([
    ["the only table, whose name may be that of the month", ["May"], undefined],
    ["one of two tables", ["May", "Prices"], "May"],
  ])("is read with a config that names the sheet only if it was chosen: %s", async (_, names, pinned) => {
    const rows = (name: string): string =>
      textRow(1, name === "Prices" ? ["cle", "date_billed"] : ["cle", "num_commande"]) +
      textRow(2, ["A", name === "Prices" ? "2016-07-05" : "7"]);
    const write = (sheets: readonly string[]): Promise<string> =>
      makeFile("orders.xlsx", workbookOf({ sheets: sheets.map((name) => ({ name, rows: rows(name) })) }));
    const cwd = await makeDirectory();
    expect((await runMain(["init", await write(names), "--table", "t"], { cwd })).code).toBe(0);
    const config = JSON.parse(await readFile(join(cwd, "rec-push.config.json"), "utf8")) as {
      tables: { t: { sheet?: string } };
    };
    expect(config.tables.t.sheet).toBe(pinned);
    const next = await write(names.map((name) => name.replace("May", "June")));
    expect((await runMain(["check", next, "--table", "t"], { cwd })).code).toBe(pinned === undefined ? 0 : 3);
  });
});

describe("the rejects of a workbook", () => {
  it("are CSV, whose numbers a mended file gives unchanged", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:551040"] });
    const cwd = await makeDirectory();
    const file = join(cwd, "orders.xlsx");
    const orders = [
      ...GOOD,
      { key: "A3", number: "551037", day: "60", amount: "1.234", note: 'dit "é",\ny' },
      { key: "A4", number: "551040", day: "42558", amount: "2.345" },
    ];
    await writeFile(file, ordersOf(orders));
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token, XDG_STATE_HOME: cwd, HOME: cwd };
    const options = ["--table", "commandes", "--other-columns", "send", "--on-invalid", "skip"];
    const first = await runProcess([file, ...options], { env });
    expect([first.code, first.stderr]).toEqual([
      4,
      expect.stringContaining("formatted as a date or a time, and 60 is none"),
    ]);
    const path = join(cwd, "orders.rejects.csv");
    const rejects = await readFile(path, "utf8");
    expect(rejects.split("\n").slice(0, 1)).toEqual([
      '\ufeff_rejected_run;_rejected_line;_rejected_field;_rejected_reason;_later_line;"cle";"num_commande";"date_billed";"actual_billable_amount";"note"',
    ]);
    expect(rejects).toContain(';"A3";551037;#DATE! 60;1.234;"dit ""é"",\ny"\n');
    await writeFile(path, rejects.replace("#DATE! 60", "2016-07-08").replace(";551040;", ";551041;"));
    await follow(first.stdout, cwd, env);
    expect(heldBy(sandbox).slice(2)).toEqual([
      {
        cle: "A3",
        num_commande: "551037",
        date_billed: "2016-07-08",
        actual_billable_amount: "1.234",
        note: 'dit "é",\ny',
      },
      { cle: "A4", num_commande: "551041", date_billed: "2016-07-07", actual_billable_amount: "2.345" },
    ]);
  });

  it("have the decimal mark of the texts in their column", async () => {
    const sandbox = await openSandbox();
    const cwd = await makeDirectory();
    const file = join(cwd, "orders.xlsx");
    const orders = [
      { key: "A1", number: "1", day: "42556", amount: "'12,50" },
      { key: "A2", number: "2.5", day: "42556", amount: "1.234" },
      { key: "A3", number: "3.5", day: "42556", amount: "-1E-3" },
    ];
    await writeFile(file, ordersOf(orders));
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token, XDG_STATE_HOME: cwd, HOME: cwd };
    const options = ["--table", "commandes", "--other-columns", "send", "--on-invalid", "skip"];
    const first = await runProcess([file, ...options], { env });
    const path = join(cwd, "orders.rejects.csv");
    const rejects = await readFile(path, "utf8");
    expect(rejects).toContain(';"A2";2.5;"2016-07-05";"1,234";\n');
    expect(rejects).toContain(';"A3";3.5;"2016-07-05";"-0,001";\n');
    await writeFile(path, rejects.replace(";2.5;", ";2;").replace(";3.5;", ";3;"));
    await follow(first.stdout, cwd, env);
    expect(heldBy(sandbox)).toMatchObject([
      { actual_billable_amount: "12.50" },
      { cle: "A2", num_commande: "2", actual_billable_amount: "1.234" },
      { cle: "A3", num_commande: "3", actual_billable_amount: "-0.001" },
    ]);
  });
});
