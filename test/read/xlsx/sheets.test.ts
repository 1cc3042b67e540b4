import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../support/draws.ts";
import { casesOf } from "../../support/parted.ts";
import { columnName, escapeXml, type TestSheet, textRow, workbookOf } from "../../support/workbook.ts";
import { zipOf } from "../../support/zip.ts";
import { readBook } from "./read-workbook.ts";

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

  it("is asked for where several hold tables with the same columns", async () => {
    const rows = textRow(2, ["cle", "state"]) + textRow(3, ["A", "open"]);
    const sheets = [
      { name: "Cover", rows: textRow(1, ["Orders"]) },
      { name: "Janvier", rows: textRow(1, ["Orders of January"]) + rows },
      { name: "Février 2016", rows: rows + textRow(4, ["B", "open", "wide"]) },
      { name: "Codes", rows: textRow(1, ["code", "name"]) + textRow(2, ["1", "one"]) },
    ];
    const told = '2 sheets hold tables with the same columns: "Janvier", "Février 2016"';
    await expect(readBook({ sheets })).rejects.toMatchObject({
      code: "several-sheets",
      message: expect.stringContaining(told) as string,
      hint: 'push them one after the other: --sheet Janvier, then --sheet "Février 2016"',
    });
    const { inspection } = await readBook({ sheets }, { sheet: "Janvier" });
    expect(inspection.reading.sheet).toBe("Janvier");
  });

  it("is no hidden one", async () => {
    const book = await readBook({ sheets: [table("A", { name: "Old", state: "veryHidden" }), table("B")] });
    expect(book.rows).toEqual([[2, "B", "open"]]);
    expect(notices(book)).toEqual([]);
    expect(book.inspection.reading.pins).toEqual([]);
  });

  it.each([
    ["named", table("A", { name: "New" }), { sheet: "Old" }, 'its sheets are "New": --sheet New'],
    ["shown", table("A", { name: "Old", state: "hidden" }), {}, "its tables are in hidden sheets"],
  ])("stops the run where there is none that is %s", async (_, only, options, told) => {
    const hint = expect.stringContaining(told) as string;
    const reading = readBook({ sheets: [only] }, options);
    await expect(reading).rejects.toMatchObject({ code: "no-sheet", hint });
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
    const columns = ["cle", "first\nname", "state"];
    const above = textRow(2, ["Title\nof\ntwo lines"]) + textRow(4, columns);
    const rows = above + textRow(5, ["A\r\n1", "x"]) + textRow(9, ["B"]);
    const { inspection, rows: read } = await readBook({ sheets: [{ rows }] });
    expect(inspection.reading).toMatchObject({ columns, dialect: { headerLine: 4 } });
    // In XML each line end is a line feed.
    expect(read).toEqual([
      [5, "A\n1", "x", ""],
      [9, "B", "", ""],
    ]);
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
    const told = "2 rows of the sheet are hidden, the first is row 2: they are read like the others";
    expect(notices(book)).toEqual([told]);
  });

  it("may be no longer than a row may be", async () => {
    const rows = `${HEADER}${textRow(2, ["A".repeat(3000), "open"])}`;
    const reading = readBook({ sheets: [{ rows }] }, { maxRowBytes: 2000 });
    await expect(reading).rejects.toMatchObject({ code: "too-long", place: { line: 2 } });
  });

  it("come back as they were written", async () => {
    const cell = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }).filter((text) => Array.from(text).every(isOfXml)),
      fc.constantFrom("", "  ", '"', "a,b", "_x000D_", "true", "#REF!", "line\nbreak", "123", "="),
      fc.bigInt({ min: 1n - 10n ** 15n, max: 10n ** 15n - 1n }),
      fc
        .tuple(fc.integer({ min: -99999, max: 99999 }), fc.nat(99999))
        .map(([a, b]) => ({ number: `${a}.${b}` })),
    );
    const body = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (drawn, isLarge) => {
        // A first column that is never blank distinguishes rows from titles, blank rows and repeated headers.
        const rows = drawn.map((cells, at) => [`K${at}`, ...cells]);
        const xml = rows.map((cells, at) => {
          const spelt = cells.map((value, column) => spell(value, `${columnName(column)}${at + 2}`));
          return `<row r="${at + 2}">${spelt.join("")}</row>`;
        });
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
  const notATable = (what: string): object => ({
    code: "not-a-table",
    message: expect.stringContaining(what) as string,
  });

  it.each([
    ["cut off", textRow(1, ["a", "b"]), "</sheetData>"],
    ["with rows out of order", textRow(2, ["a", "b"]) + textRow(1, ["c", "d"]), undefined],
    ["with something else among its rows", `${HEADER}<other/>`, undefined],
    ["with a document type", `<!DOCTYPE a>${HEADER}`, undefined],
    ["with a tag inside a tag", '<row r="1"><c r="A1"<v>1</v></c></row>', undefined],
  ])("stops the run if a sheet is %s", async (_, rows, cut) => {
    const parts = {
      "[Content_Types].xml": "<a/>",
      "_rels/.rels": "<a/>",
      "xl/workbook.xml": '<workbook><sheets><sheet name="A" r:id="i"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": '<r><Relationship Id="i" Type="a/worksheet" Target="s.xml"/></r>',
      "xl/s.xml": `<worksheet><sheetData>${rows}${cut === undefined ? "</sheetData></worksheet>" : ""}`,
    };
    const bytes = zipOf(Object.entries(parts).map(([name, data]) => ({ name, data })));
    await expect(readBook(bytes)).rejects.toMatchObject({ kind: "input", code: "damaged-file" });
  });

  it.each([
    ["a binary workbook", ["[Content_Types].xml", "xl/workbook.bin"], ".xlsb"],
    ["an OpenDocument file", ["mimetype", "content.xml"], ".ods"],
  ])("is named if it is %s", async (_, names, what) => {
    const bytes = zipOf(names.map((name) => ({ name, data: "x" })));
    await expect(readBook(bytes)).rejects.toMatchObject(notATable(what));
  });

  it.each(["csv", "json"] as const)("is not read as %s", async (format) => {
    const what = `this is an Excel workbook (.xlsx), not ${format}`;
    await expect(readBook(whole, { format })).rejects.toMatchObject(notATable(what));
  });
});

const merged = (...ranges: readonly string[]): string =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
/** Rows of texts: `cle;state|A;open`. */
const rowsOf = (rows: string): string =>
  rows
    .split("|")
    .map((texts, at) => textRow(at + 1, texts.split(";")))
    .join("");
const fault = { fault: "the cell is merged with the one above it" };

describe("a header of merged cells", () => {
  it.each(casesOf`
    two                | cle;Order;;num_commande|;number;date;|A;1;2024-03-26;7 | A1:A2 B1:C1 D1:D2 | 1 | ;number;date;
    two, below a title | Export of May|cle;Order;|;number;date|A;1;x            | A1:C1 A2:A3 B2:C2 | 2 | ;number;date
  `)(
    "of %s rows stops with the option that names the last of them",
    async (_, rows, ranges, first, names) => {
      const line = Number(first);
      const sheets = [{ rows: rowsOf(rows), after: merged(...ranges.split(" ")) }];
      const hint = expect.stringContaining(`--header-line ${line + 1} `) as string;
      const asked = { code: "merged-header", place: { line }, hint };
      // In the first file the header has two declared names, in the second only one.
      const isKnownHeader = (name: string): boolean => name === "cle" || name === "num_commande";
      await expect(readBook({ sheets }, { isKnownHeader })).rejects.toMatchObject(asked);
      const { inspection, rows: read } = await readBook({ sheets }, { headerLine: line + 1 });
      expect(inspection.reading.columns).toEqual(names.split(";"));
      expect(read.map(([at]) => at)).toEqual([line + 2]);
    },
  );

  it("of one row is one, whatever is merged above it or left blank below it", async () => {
    const tall = textRow(1, ["cle", "state"]) + textRow(4, ["A", "open"]);
    const sheets = [{ rows: tall, after: merged("A1:A2", "B1:B2") }];
    const { inspection, rows } = await readBook({ sheets });
    expect(inspection.reading).toMatchObject({ columns: ["cle", "state"], dialect: { headerLine: 1 } });
    expect(rows.at(-1)).toEqual([4, "A", "open"]);
  });
});

describe("merged cells are no header", () => {
  const NAMED = { headerLine: 1 };

  it.each([
    ["below a header", "cle;state|A;open|;closed", "A2:A3", {}, "2;A;open|3;!;closed"],
    ["without one", "A;open|;open|B;open", "A1:A2 B1:B2", { header: false }, "1;A;open|2;!;open|3;B;open"],
    ["beside a filled cell", "cle;state|;closed|B;open", "A1:A2", NAMED, "2;!;closed|3;B;open"],
    ["where another row is named", "cle;state|;|B;open", "A1:A2 B1:B2", NAMED, "3;B;open"],
    ["where they go on", "cle;O;|;a;b|;;2|K;;4", "A1:A3 B1:C1 B2:B4", { headerLine: 2 }, "3;!;!;2|4;K;!;4"],
  ])("%s", async (_, rows, ranges, options, expected) => {
    const sheets = [{ rows: rowsOf(rows), after: merged(...ranges.split(" ")) }];
    const book = await readBook({ sheets }, options);
    const cells = book.rows.map((row) =>
      row.map((cell) => (isDeepStrictEqual(cell, fault) ? "!" : cell)).join(";"),
    );
    expect(cells.join("|")).toBe(expected);
    expect(book.inspection.reading.notices.map(({ text }) => text).join()).not.toContain("merged over rows");
  });
});
