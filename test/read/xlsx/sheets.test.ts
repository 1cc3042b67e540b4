import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import { makeFile } from "../../support/temp-files.ts";
import { columnName, escapeXml, type TestSheet, textRow, workbookOf } from "../../support/workbook.ts";
import { zipOf } from "../../support/zip.ts";
import { readBook } from "./read-workbook.ts";
import { draws } from "../../support/draws.ts";

const HEADER = textRow(1, ["cle", "state"]);
const table = (first: string, more: Partial<TestSheet> = {}): TestSheet => ({
  rows: HEADER + textRow(2, [first, "open"]),
  ...more,
});
const notices = (book: Awaited<ReturnType<typeof readBook>>): string[] =>
  book.inspection.reading.notices.map(({ text }) => text);

describe("the sheet of a workbook", () => {
  it("is the first that holds a table, and a pin names it where others do", async () => {
    const cover = { name: "Cover", rows: textRow(1, ["Orders of May"]) };
    const lines = { name: "Lines", rows: textRow(1, ["cle", "quantity"]) + textRow(2, ["B", "1"]) };
    const sheets = [cover, table("A", { name: "May's orders" }), lines];
    const { inspection, rows } = await readBook({ sheets });
    expect(rows).toEqual([[2, "A", "open"]]);
    expect(inspection.reading).toMatchObject({ format: "xlsx", sheet: "May's orders" });
    expect(inspection.reading.pins.map(({ option }) => option)).toEqual([`--sheet "May's orders"`]);
    expect(inspection.reading.notices.map(({ text }) => text)).toContain(
      'another sheet holds a table and is not read: "Lines"',
    );
  });

  it.each([
    ["of inline texts", (texts: readonly string[], row: number) => textRow(row, texts), ""],
    [
      "of shared texts, one of them with a title above",
      (texts: readonly string[], row: number) =>
        `<row r="${row}">${texts.map((text) => `<c t="s"><v>${text.length}</v></c>`).join("")}</row>`,
      Array.from({ length: 9 }, (_, at) => `<si><t>text ${at}</t></si>`).join(""),
    ],
  ])("is asked for where several hold tables with the same columns: %s", async (_, row, strings) => {
    const rows = row(["cle", "state"], 2) + row(["A", "open"], 3);
    const sheets = [
      { name: "Cover", rows: textRow(1, ["Orders"]) },
      { name: "Janvier", rows: textRow(1, ["Orders of January"]) + rows },
      { name: "Février 2016", rows: rows + textRow(4, ["B", "open", "wide"]) },
      { name: "Codes", rows: textRow(1, ["code", "name"]) + textRow(2, ["1", "one"]) },
    ];
    await expect(readBook({ sheets, strings })).rejects.toMatchObject({
      code: "several-sheets",
      message: expect.stringContaining(
        '2 sheets hold tables with the same columns: "Janvier", "Février 2016"',
      ) as string,
      hint: 'push them one after the other: --sheet Janvier, then --sheet "Février 2016"',
    });
    const { inspection } = await readBook({ sheets, strings }, { sheet: "Janvier" });
    expect(inspection.reading.sheet).toBe("Janvier");
  });

  it("is no hidden one", async () => {
    const book = await readBook({ sheets: [table("A", { name: "Old", state: "veryHidden" }), table("B")] });
    expect(book.rows).toEqual([[2, "B", "open"]]);
    expect(notices(book)).toEqual([]);
    expect(book.inspection.reading.pins).toEqual([]);
  });

  it("is the one that is named, hidden or not", async () => {
    const sheets = [table("A", { name: "Old", state: "hidden" }), table("B", { name: "New" })];
    const book = await readBook({ sheets }, { sheet: "Old" });
    expect(book.rows).toEqual([[2, "A", "open"]]);
  });

  it.each([
    ["named", [table("A", { name: "New" })], { sheet: "Old" }, 'its sheets are "New": --sheet New'],
    [
      "hidden",
      [table("A", { name: "Old", state: "hidden" } as const)],
      {},
      "its tables are in hidden sheets",
    ],
  ])("stops the run where there is none that is %s", async (_, sheets, options, hint) => {
    await expect(readBook({ sheets }, options)).rejects.toMatchObject({
      code: "no-sheet",
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("is read in any spelling of its elements", async () => {
    const rows =
      '<x:row><x:c t="inlineStr"><x:is><x:t>cle</x:t></x:is></x:c><x:c t="s"><x:v>0</x:v></x:c></x:row>';
    const { rows: read } = await readBook({
      prefix: "x:",
      strings: "<x:si><x:t>state</x:t></x:si>",
      sheets: [
        { rows: `${rows}<x:row/><x:row r="7"><x:c><x:v>5</x:v></x:c><x:c t='b'><x:v>1</x:v></x:c></x:row>` },
      ],
    });
    expect(read).toEqual([[7, { number: "5" }, true]]);
  });
});

describe("the rows of a sheet", () => {
  it("are counted as in the sheet, whatever is in their cells, and filled up to the widest", async () => {
    const rows = [
      textRow(2, ["Title\nof\ntwo lines"]),
      textRow(4, ["cle", "first\nname", "state"]),
      textRow(5, ["A\r\n1", "x"]),
      textRow(9, ["B"]),
    ].join("");
    const { inspection, rows: read } = await readBook({ sheets: [{ rows }] });
    expect(inspection.reading).toMatchObject({
      columns: ["cle", "first\nname", "state"],
      dialect: { headerLine: 4 },
    });
    // In XML each line end is a line feed.
    expect(read).toEqual([
      [5, "A\n1", "x", ""],
      [9, "B", "", ""],
    ]);
  });

  it("are filled up where a wider one comes after many", async () => {
    const many = Array.from({ length: 2100 }, (_, at) => textRow(at + 2, [`C${at}`, "open"])).join("");
    const { rows } = await readBook({
      sheets: [{ rows: `${HEADER}${many}${textRow(2102, ["D", "open", "more"])}` }],
    });
    expect(rows[0]).toEqual([2, "C0", "open", ""]);
    expect(rows.at(-1)).toEqual([2102, "D", "open", "more"]);
  });

  it("that are merged with one above have no value of their own", async () => {
    const rows = `${HEADER}${textRow(2, ["A", "open"])}${textRow(3, ["", "closed"])}${textRow(4, ["", "open"])}${textRow(5, ["B", "open"])}`;
    const after = '<mergeCells count="2"><mergeCell ref="A2:A4"/><mergeCell ref="C2:D2"/></mergeCells>';
    const merged = { fault: "the cell is merged with the one above it" };
    const { rows: read } = await readBook({ sheets: [{ rows, after }] });
    expect(read).toEqual([
      [2, "A", "open"],
      [3, merged, "closed"],
      [4, merged, "open"],
      [5, "B", "open"],
    ]);
  });

  it("that are hidden are read, and noted", async () => {
    const hidden = [2, 3].map((at) => textRow(at, ["A", "open"]).replace("<row", '<row hidden="1"')).join("");
    const book = await readBook({ sheets: [{ rows: HEADER + hidden }] });
    expect(book.rows).toHaveLength(2);
    expect(notices(book)).toEqual([
      "2 rows of the sheet are hidden, the first is row 2: they are read like the others",
    ]);
  });

  it("may be no longer than a row may be", async () => {
    const rows = `${HEADER}${textRow(2, ["A".repeat(3000), "open"])}`;
    await expect(readBook({ sheets: [{ rows }] }, { maxRowBytes: 2000 })).rejects.toMatchObject({
      code: "row-too-long",
      place: { line: 2 },
    });
  });

  it("leave nothing behind", async () => {
    const directory = await mkdtemp(join(tmpdir(), "rec-push-test-"));
    const path = await makeFile(
      "orders.xlsx",
      workbookOf({ sheets: [table("A")], strings: "<si><t>x</t></si>" }),
    );
    const source = await openSource(path, { stdin: () => Readable.from([]), spoolDirectory: directory });
    await inspectSource(source, { headerLine: 1 });
    await source.close();
    expect(await readdir(directory)).toEqual([]);
    await rm(directory, { recursive: true });
  });

  it("come back as they were written", async () => {
    const cell = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }).filter((text) => Array.from(text).every(isOfXml)),
      fc.constantFrom("", "  ", '"', "a,b", "_x000D_", "true", "#REF!", "line\nbreak", "123", "="),
      fc.bigInt({ min: 1n - 10n ** 15n, max: 10n ** 15n - 1n }),
      fc
        .tuple(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: 0, max: 99999 }))
        .map(([a, b]) => ({ number: `${a}.${b}` })),
    );
    const body = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (drawn, isLarge) => {
        // A first column that is never blank distinguishes rows from titles, blank rows and repeated headers.
        const rows = drawn.map((cells, at) => [`K${at}`, ...cells]);
        const xml = rows.map(
          (cells, at) =>
            `<row r="${at + 2}">${cells.map((value, column) => spell(value, columnName(column) + String(at + 2))).join("")}</row>`,
        );
        const sheets = [{ rows: textRow(1, ["cle", "one", "two", "three"]) + xml.join("") }];
        const read = await readBook({ sheets, zip: { isLarge, isStreamed: !isLarge } }, { headerLine: 1 });
        expect(read.rows).toEqual(rows.map((cells, at) => [at + 2].concat(cells.map(shown) as number[])));
      }),
      draws(60),
    );
  });
});

/** True for what XML can hold as it is; a carriage return would become a line feed. */
function isOfXml(character: string): boolean {
  const code = character.codePointAt(0)!;
  return code === 9 || code === 10 || (code >= 0x20 && code !== 0xfffe && code !== 0xffff);
}

type Drawn = string | bigint | { readonly number: string };

function spell(value: Drawn, place: string): string {
  if (typeof value === "string") {
    const text = value.replaceAll("_x", "_x005F_x");
    return `<c r="${place}" t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;
  }
  return `<c r="${place}"><v>${typeof value === "bigint" ? String(value) : value.number}</v></c>`;
}

function shown(value: Drawn): unknown {
  if (typeof value === "bigint") return { number: String(value) };
  return typeof value === "string" ? value : { number: value.number.replace(/\.0$/, "") };
}

describe("a workbook that is damaged", () => {
  const whole = workbookOf({ sheets: [table("A")] });

  it.each([
    ["cut off", textRow(1, ["a", "b"]), "</sheetData>"],
    ["with rows out of order", textRow(2, ["a", "b"]) + textRow(1, ["c", "d"]), undefined],
    ["with something else among its rows", `${HEADER}<other/>`, undefined],
    ["with a document type", `<!DOCTYPE a>${HEADER}`, undefined],
    ["with a tag inside a tag", '<row r="1"><c r="A1"<v>1</v></c></row>', undefined],
  ])("stops the run if a sheet is %s", async (_, rows, cut) => {
    const parts = ["[Content_Types].xml", "_rels/.rels"].map((name) => ({ name, data: "<a/>" }));
    const sheet = `<worksheet><sheetData>${rows}${cut === undefined ? "</sheetData></worksheet>" : ""}`;
    const bytes = zipOf([
      ...parts,
      { name: "xl/workbook.xml", data: '<workbook><sheets><sheet name="A" r:id="i"/></sheets></workbook>' },
      {
        name: "xl/_rels/workbook.xml.rels",
        data: '<r><Relationship Id="i" Type="a/worksheet" Target="s.xml"/></r>',
      },
      { name: "xl/s.xml", data: sheet },
    ]);
    await expect(readBook(bytes)).rejects.toMatchObject({ kind: "input", code: "damaged-workbook" });
  });

  it.each([
    ["a binary workbook", ["[Content_Types].xml", "xl/workbook.bin"], ".xlsb"],
    ["an OpenDocument file", ["mimetype", "content.xml"], ".ods"],
    ["a text document", ["[Content_Types].xml", "word/document.xml"], ".docx"],
  ])("is named if it is %s", async (_, names, what) => {
    const bytes = zipOf(names.map((name) => ({ name, data: "x" })));
    await expect(readBook(bytes)).rejects.toMatchObject({
      code: "not-a-table",
      message: expect.stringContaining(what) as string,
    });
  });

  it("is named if it is a compound file", async () => {
    const bytes = Buffer.alloc(2048);
    Buffer.from("d0cf11e0a1b11ae1", "hex").copy(bytes);
    await expect(readBook(bytes)).rejects.toMatchObject({
      code: "not-a-table",
      message: expect.stringContaining(
        "an old Excel workbook (.xls), or one that is protected by a password",
      ),
    });
  });

  it.each([
    ["csv", "this is an Excel workbook (.xlsx), not csv"],
    ["json", "this is an Excel workbook (.xlsx), not json"],
  ] as const)("is not read as %s", async (format, what) => {
    await expect(readBook(whole, { format })).rejects.toMatchObject({
      code: "not-a-table",
      message: expect.stringContaining(what) as string,
    });
  });

  it("is none if it is a CSV", async () => {
    await expect(readBook(Buffer.from("a,b\n1,2\n"), { format: "xlsx" })).rejects.toMatchObject({
      code: "not-a-workbook",
    });
  });
});
