import { readdir } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { startProcess } from "../support/run-process.ts";
import {
  edit,
  faults,
  holds,
  holdsCount,
  holdsOnce,
  inEnv,
  paste,
  piped,
  scenario,
  write,
} from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { columnName, type TestWorkbook, textRow, workbookOf } from "../support/workbook.ts";
import { zipOf } from "../support/zip.ts";

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

const READS =
  'the sheet "Export summary" is read, the first that holds a table; --sheet "May 2016" reads another';

describe("a push of a workbook", () => {
  const sheet = (...rows: readonly (readonly string[])[]): string =>
    rows.map((cells, at) => textRow(at + 1, cells)).join("");
  const sheets = [
    { name: "Export summary", rows: sheet(["Sheet name", "Rows"], ["May", "2"], ["June", "3"]) },
    { name: "May 2016", rows: HEADER + GOOD.map((order, at) => orderRow(at + 4, order)).join("") },
  ];
  scenario(
    "names the sheet that it reads, and the others, before anything is sent",
    { "orders.xlsx": workbookOf({ formats: [14], sheets }) },
    [
      [">check orders.xlsx", 3, READS],
      [">check orders.xlsx --sheet 'Export summary'", 3, { not: "reads another" }],
    ],
  );
  scenario(
    "sends what its cells hold",
    { "orders.xlsx": ordersOf(GOOD) },
    [
      [
        "push orders.xlsx",
        0,
        'Excel, sheet "May", header in row 3, 2 rows: 2 updates, 0 creates',
        "lines 4-5",
      ],
    ],
    RECORDS,
  );
  scenario(
    "takes it from standard input, beside files that are packed",
    {
      "b.zip": zipOf([{ name: "b.csv", data: "cle,num_commande\nB1,1\n" }]),
      "c.gz": Buffer.concat(
        [2, 3].map((number) => gzipSync(`{"cle":"C${number}","num_commande":${number}}\n`)),
      ),
    },
    [piped(ordersOf(GOOD), "push - b.zip c.gz", 0)],
    [
      ...RECORDS,
      { cle: "B1", num_commande: "1" },
      { cle: "C2", num_commande: "2" },
      { cle: "C3", num_commande: "3" },
    ],
  );
  const slowly = "--batch-size 1 --retries 0 --max-failed 1 --concurrency 1";
  scenario(
    "goes on where it ended, packed too",
    { "packed.gz": gzipSync(ordersOf(GOOD)) },
    [
      faults("status=503,skip=1,times=1"),
      [`push packed.gz ${slowly}`, 7],
      holdsCount(1),
      [`push packed.gz ${slowly}`, 0],
    ],
    RECORDS,
  );
  const creates = GOOD.map((order) => ({ ...order, key: "" }));
  scenario(
    "creates nothing again of the same cells in another file",
    { "a.xlsx": ordersOf(creates), "saved-again.xlsx": ordersOf(creates, { zip: { isLarge: true } }) },
    [["push a.xlsx", 0], ["push saved-again.xlsx", 0, /pushed before|already/], holdsOnce(2)],
  );
  const order = (key: string): string => textRow(1, ["cle", "num_commande"]) + textRow(2, [key, "7"]);
  const twoMonths = [
    { name: "May", rows: order("M") },
    { name: "June 2016", rows: order("J") },
  ];
  scenario(
    "reads the sheet that an option or a config names, and is done with it",
    { "orders.xlsx": workbookOf({ sheets: twoMonths }) },
    [
      ["check orders.xlsx --pinned", 3, "--sheet May, then --sheet"],
      ["init orders.xlsx --sheet 'June 2016' --yes", 0],
      holds("rec-push.config.json", '"sheet": "June 2016"'),
      ["push orders.xlsx --pinned", 0],
    ],
    [{ cle: "J", num_commande: "7" }],
  );
  const book = (month: string): Buffer =>
    workbookOf({
      sheets: [
        { name: month, rows: order("M") },
        { name: "Prices", rows: textRow(1, ["cle", "date_billed"]) + textRow(2, ["A", "2016-07-05"]) },
      ],
    });
  scenario("is read with a config that names the sheet that was chosen", { "orders.xlsx": book("May") }, [
    ["init orders.xlsx", 0],
    holds("rec-push.config.json", '"sheet": "May"'),
    write("orders.xlsx", book("June")),
    ["check orders.xlsx --table commandes", 3],
  ]);
});

describe("the rejects of a workbook", () => {
  const REJECTS = "orders.rejects.csv";
  const MEND = /then push that file, which is CSV: rec-push (.*)/;
  const orders = [
    ...GOOD,
    { key: "A3", number: "551037", day: "60", amount: "1.234", note: 'dit "é",\ny' },
    { key: "A4", number: "551040", day: "42558", amount: "2.345" },
  ];
  scenario(
    "are CSV, whose numbers a mended file gives unchanged",
    { "orders.xlsx": ordersOf(orders) },
    [
      faults("refuse=num_commande:551040"),
      ["push orders.xlsx --on-invalid skip", 4, "formatted as a date or a time, and 60 is neither"],
      faults(),
      holds(
        REJECTS,
        /^\ufeff_rejected_run;_rejected_line;_rejected_field;_rejected_reason;_later_line;"cle";"num_commande";"date_billed";"actual_billable_amount";"note"\n/,
      ),
      holds(REJECTS, ';"A3";551037;#DATE! 60;1.234;"dit ""é"",\ny"\n'),
      edit(REJECTS, "#DATE! 60", "2016-07-08"),
      edit(REJECTS, ";551040;", ";551041;"),
      paste(MEND, 0),
    ],
    [
      ...RECORDS,
      {
        cle: "A3",
        num_commande: "551037",
        date_billed: "2016-07-08",
        actual_billable_amount: "1.234",
        note: 'dit "é",\ny',
      },
      { cle: "A4", num_commande: "551041", date_billed: "2016-07-07", actual_billable_amount: "2.345" },
    ],
  );
  const styled = [
    { key: "A1", number: "1", day: "42556", amount: "'12,50" },
    { key: "A2", number: "2.5", day: "42556", amount: "1.234" },
    { key: "A3", number: "3.5", day: "42556", amount: "-1E-3" },
  ];
  scenario(
    "have the decimal mark of the texts in their column",
    { "orders.xlsx": ordersOf(styled) },
    [
      ["push orders.xlsx --on-invalid skip", 4],
      holds(REJECTS, ';"A2";2.5;"2016-07-05";"1,234";\n'),
      holds(REJECTS, ';"A3";3.5;"2016-07-05";"-0,001";\n'),
      edit(REJECTS, ";2.5;", ";2;"),
      edit(REJECTS, ";3.5;", ";3;"),
      paste(MEND, 0),
    ],
    ["12.50", "1.234", "-0.001"].map((amount, at) => ({
      cle: `A${at + 1}`,
      num_commande: `${at + 1}`,
      date_billed: "2016-07-05",
      actual_billable_amount: amount,
    })),
  );
});

/** A sheet of texts with the dates in column 28, which is AB. */
function sheetOf(...days: readonly string[]): Buffer {
  const states = Array.from({ length: 25 }, (_, at) => `state_${at}`);
  const rows = [
    ["cle", "num_commande", ...states, "date_billed"],
    ...days.map((day, at) => [`K${at}`, String(at)].concat(states, day)),
  ];
  return workbookOf({ sheets: [{ rows: rows.map((texts, at) => textRow(at + 1, texts)).join("") }] });
}

describe("a message about a cell of a workbook", () => {
  const wrong = textRow(1, ["cle", "num_comande"]) + textRow(2, ["K", "1"]);
  scenario(
    "names the cell and the column as a spreadsheet does, and for a CSV line and column",
    {
      "orders.xlsx": sheetOf("2016-07-05", "31/06/2016"),
      "wrong.xlsx": workbookOf({ sheets: [{ rows: wrong }] }),
      "orders.csv": "cle,date_billed\nA,31/06/2016\n",
    },
    [
      [
        "check orders.xlsx",
        3,
        /orders\.xlsx:AB3: column 28 "date_billed" holds "31\/06\/2016": there is no such day/,
      ],
      ["check orders.xlsx --json", 3, { tells: { event: "reject", line: 3, column: 28, cell: "AB3" } }],
      [">check wrong.xlsx", 3, 'column 2 (B) "num_comande"'],
      ["check orders.csv", 3, /orders\.csv:2: column 2 "date_billed" holds/],
    ],
  );
  scenario(
    "names the cells of several rows, also where rows are rejected during a push, in its report and on GitHub",
    { "orders.xlsx": sheetOf("2016-07-05", "x", "x", "2016-07-05", "x") },
    [
      [
        "push orders.xlsx --on-invalid skip --report page.html",
        4,
        /orders\.xlsx: 3 x column 28 "date_billed" holds "x": .*, cells AB3, AB4, AB6/,
      ],
      holds("page.html", "AB3, AB4, AB6"),
      inEnv({ GITHUB_ACTIONS: "true" }),
      ["check orders.xlsx", 3, /::error .*line=3.*::AB3, column 28/],
    ],
  );
});

describe("a signal while a workbook is read", () => {
  // Numbers with many digits compress badly, so that there is enough to read.
  const row = (at: number): string =>
    `<row r="${at}">${Array.from({ length: 8 }, (_, column) => `<c r="${columnName(column)}${at}"><v>${(at * 7919 + column * 104_729) % 999_983}.${at % 89}</v></c>`).join("")}</row>`;
  const header = textRow(1, ["a_amount", "b_amount", "c_amount", "d_amount", "e", "f", "g", "h"]);
  const big = (): Buffer => {
    const rows = Array.from({ length: 30_000 }, (_, at) => row(at + 2)).join("");
    return workbookOf({ sheets: [{ rows: header + rows }] });
  };

  it("ends it, with nothing sent and nothing left behind", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("orders.xlsx.gz", gzipSync(big(), { level: 0 }));
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
    child.kill("SIGTERM");
    const end = await ended;
    expect([end.code, end.stderr]).toEqual([143, expect.not.stringContaining("    at ")]);
    expect(end.stdout + end.stderr).not.toMatch(/Excel, sheet/);
    expect(await copies()).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
    expect(heldBy(sandbox)).toEqual([]);
  });
});
