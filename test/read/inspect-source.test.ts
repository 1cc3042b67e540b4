import { describe, expect, it } from "vitest";
import { inspectFile, inspectText } from "./inspect.ts";

describe("the delimiter", () => {
  it.each([
    ["a,b\n1,2\n", ",", "comma"],
    ["a\tb\n1,5\t2,5\n", "\t", "tab"],
    ["a|b\n1|2\n", "|", "pipe"],
    ["a,b;c,d\n1,2;3,4\n5,6;7,8\n", ";", "semicolon"],
  ])("of %j is %j, with a pin", async (text, delimiter, word) => {
    const { reading } = await inspectText(text);
    expect(reading.dialect).toMatchObject({ delimiter });
    const because = expect.stringContaining("columns");
    expect(reading.pins).toEqual([{ what: "delimiter", option: `--delimiter ${word}`, because }]);
  });

  it.each([
    ["a named delimiter", "a,b;c,d\n1,2;3,4\n", { delimiter: ";" }],
    ["a sep= line", "sep=;\na;b\n1;2\n", {}],
    ["a single column", "montant\n1,50\n2,75\n", { delimiter: "none" }],
  ])("needs no pin with %s", async (_, text, options) => {
    expect((await inspectText(text, options)).reading.pins).toEqual([]);
  });

  it("does not take a title with commas for the header instead of one that names a column twice", async () => {
    const title = "Société Dupont, 12 rue de la Paix, Paris\nJournal des ventes\n";
    const rows = ["cle", "date_billed", "montant", "cle"].join(";") + "\nF1;20190911;700,00;229.347,89\n";
    const more = "F2;20190412;250,00;685.042,31\nF3;20190107;600,00;124.678,51\n";
    await expect(inspectText(title + rows + more)).rejects.toMatchObject({
      code: "no-header",
      message: expect.stringContaining('"cle" twice'),
    });
  });

  it("is not looked for after the first megabyte", async () => {
    const text = `a;b\n${"1;2\n".padStart(200, "0").repeat(6_000)}x,y\n`;
    expect((await inspectText(text)).reading.dialect?.delimiter).toBe(";");
  });
});

it("a backslash before quotes is noticed, with its pin", async () => {
  const { reading } = await inspectFile("backslash-escape.csv");
  expect(reading.notices[0]?.text).toContain('"escape": "backslash"');
});

describe("the header", () => {
  it.each([
    ["decimal-comma.csv", {}, 1, 2, "cle libelle montant"],
    ["title-above-header.csv", {}, 3, 4, "cle num_commande actual_billable_amount"],
    ["sep-line.csv", {}, 2, 3, "cle montant"],
    ["blank-lines.csv", {}, 2, 3, "cle libelle"],
    ["empty-first-header.csv", { headerLine: 1 }, 1, 2, " cle libelle"],
    ["quoted-newline-in-header.csv", {}, 1, 3, "cle num\ncommande"],
    ["duplicate-header.csv", { headerLine: 1 }, 1, 2, "cle montant montant"],
    ["comment-lines.csv", { comment: "#" }, 2, 3, "cle libelle"],
    ["decimal-comma.csv", { skipLines: 1, headerLine: 2 }, 2, 3, "A1 Ecran 1,50"],
  ] as const)("of %s with %j is on line %s", async (file, options, headerLine, dataLine, names) => {
    const { reading } = await inspectFile(file, options);
    const columns = names.split(" ");
    expect(reading).toMatchObject({ dialect: { headerLine, dataLine }, columns, headerless: false });
  });

  it("may be declared missing", async () => {
    const { reading } = await inspectFile("no-header.csv", { header: false });
    expect(reading).toMatchObject({ columns: ["1", "2", "3"], headerless: true, dialect: { dataLine: 1 } });
    expect(reading.dialect?.headerLine).toBeUndefined();
  });

  it.each([
    ["a blank line", "a;b\n\n1;2\n", { headerLine: 2 }],
    ["a line behind the end", "a;b\n1;2\n", { headerLine: 9 }],
  ])("cannot be pinned to %s", async (_, text, options) => {
    await expect(inspectText(text, options)).rejects.toMatchObject({ kind: "input" });
  });
});

it("the note about lines above the header begins with the first title, and ends with the last", async () => {
  const { reading } = await inspectText(",,\nExport of May,,\n,,\ncle,num_commande,note\nA1,551035,x\n");
  expect(reading.notices.map(({ text }) => text)).toEqual([
    'line 2 above the header of line 4 left out: "Export of May"',
  ]);
});

describe("a first line without end", () => {
  const long = "x".repeat(1_100_000);

  const row = `cle;${long}\nK1;2\n`;
  const ENDLESS = /does not end in the first 1,048,576 bytes/;

  it.each([
    ["of a header", row, {}, 1, ENDLESS],
    ["where rows may be short only", row, { maxRowBytes: 64 }, 1, /longer than 64 bytes/],
    ["of a comment", `#${long}\ncle\n`, { comment: "#" }, 1, ENDLESS],
    ["below others", `#\n#\ncle;${long}\n`, { comment: "#" }, 3, ENDLESS],
    ["in quotes", `cle;"${long}\n`, { delimiter: ";" }, 1, /opens a cell that is never closed/],
  ] as const)("is named: %s", async (_, text, options, line, reason) => {
    const message = expect.stringMatching(reason) as string;
    const refused = { code: "no-readable-row", place: { line }, message };
    await expect(inspectText(text, options)).rejects.toMatchObject(refused);
  });
});

it.each(['""', '" "\n', '""\n\n""\n'])("a file of nothing but empty cells is named: %j", async (text) => {
  await expect(inspectText(text)).rejects.toMatchObject({ code: "no-readable-row" });
});

describe("the format", () => {
  it.each([
    ['[{"cle":"A1"}]', {}, "json"],
    ['{"cle":"A1"}\n{"cle":"A2"}\n', {}, "ndjson"],
    ["cle;montant\nA1;5\n", {}, "csv"],
    ['{"a";b\n1;2\n', { format: "csv" }, "csv"],
    ['{"a":1};b\n{"a":2};c\n', { format: "csv", header: false }, "csv"],
  ] as const)("of %j with %j is %s", async (text, options, format) => {
    expect((await inspectText(text, options)).reading).toMatchObject({ format });
  });

  it.each([
    ['[{"cle":"A1"}]', "json"],
    ['{"cle":"A1"}\n{"cle":"A2"}\n', "ndjson"],
  ])("of %j is not CSV, whoever says so", async (text, format) => {
    await expect(inspectText(text, { format: "csv", delimiter: ";" })).rejects.toMatchObject({
      code: "not-a-table",
      message: "orders.csv: this is JSON, not csv",
      hint: expect.stringContaining(`--format ${format} reads it`),
    });
  });

  it("of JSON may be windows-1252, as that of a CSV", async () => {
    const bytes = Buffer.from('[{"libelle":"Cl\u00e9"}]', "latin1");
    const { reading } = await inspectText(bytes);
    expect(reading).toMatchObject({ format: "json", encoding: "windows-1252", notices: [{ line: 1 }] });
  });

  it.each([
    ["cells of JSON", 'data;cle\n{"a":1};A1\n{"a":2};A2\n'],
    ["a list in brackets alone", "note\n[1]\n[2]\n"],
  ])("of a CSV may hold %s", async (_, text) => {
    const { reading } = await inspectText(text);
    expect(reading.format).toBe("csv");
  });

  it("of lines of JSON below a header is CSV where --format says so", async () => {
    const { reading } = await inspectText('note\n{"a":1}\n{"a":2}\n', { format: "csv" });
    expect(reading.columns).toHaveLength(1);
  });
});
