import { describe, expect, it } from "vitest";
import { textRow } from "../../support/workbook.ts";
import { readBook } from "./read-workbook.ts";

const merged = (...ranges: readonly string[]): string =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
const rowsOf = (...rows: readonly (readonly string[])[]): string =>
  rows.map((texts, at) => textRow(at + 1, texts)).join("");
const fault = { fault: "the cell is merged with the one above it" };

describe("a header of merged cells", () => {
  it("is one row: cells merged down keep their names, headings of several columns are left out and told", async () => {
    const rows = rowsOf(
      ["cle", "Order", "", "state"],
      ["", "number", "date", ""],
      ["A", "1", "2024-03-26", "open"],
    );
    const after = merged("A1:A2", "B1:C1", "D1:D2");
    const { inspection, rows: read } = await readBook({ sheets: [{ rows, after }] });
    expect(inspection.reading).toMatchObject({
      columns: ["cle", "number", "date", "state"],
      dialect: { headerLine: 2, dataLine: 3 },
    });
    expect(read).toEqual([[3, "A", "1", "2024-03-26", "open"]]);
    expect(inspection.reading.notices).toEqual([
      { line: 1, text: 'the header is merged over rows 1 to 2; left out above it: "Order"' },
    ]);
  });

  it("has the headings in front of names that come twice, below a title that is told", async () => {
    const rows = rowsOf(
      ["Export of May"],
      ["cle", "Order", "", "Invoice", ""],
      ["", "number", "date", "number", "date"],
      ["A", "1", "2024-03-26", "2", "2024-03-27"],
    );
    const after = merged("A1:E1", "A2:A3", "B2:C2", "D2:E2");
    const { inspection, rows: read } = await readBook({ sheets: [{ rows, after }] });
    expect(inspection.reading.columns).toEqual([
      "cle",
      "Order number",
      "Order date",
      "Invoice number",
      "Invoice date",
    ]);
    expect(read).toEqual([[4, "A", "1", "2024-03-26", "2", "2024-03-27"]]);
    expect(inspection.reading.notices[0]?.text).toContain('left out above it: "Export of May"');
  });

  it("has the headings in front of names that come twice where no cell is merged down", async () => {
    const rows = rowsOf(["Order", "", "Invoice", ""], ["cle", "date", "cle", "date"], ["A", "x", "B", "y"]);
    const { inspection } = await readBook({ sheets: [{ rows, after: merged("A1:B1", "C1:D1") }] });
    expect(inspection.reading.columns).toEqual(["Order cle", "Order date", "Invoice cle", "Invoice date"]);
  });

  it("may have three rows, and a last one that the file leaves out", async () => {
    const three = rowsOf(
      ["cle", "Order", "", ""],
      ["", "number", "Dates", ""],
      ["", "", "billed", "closed"],
      ["A", "1", "x", "y"],
    );
    const book = await readBook({
      sheets: [{ rows: three, after: merged("A1:A3", "B1:D1", "B2:B3", "C2:D2") }],
    });
    expect(book.inspection.reading.columns).toEqual(["cle", "number", "billed", "closed"]);
    const tall = textRow(1, ["cle", "state"]) + textRow(4, ["A", "open"]);
    const { inspection, rows } = await readBook({
      sheets: [{ rows: tall, after: merged("A1:A2", "B1:B2") }],
    });
    expect(inspection.reading).toMatchObject({ columns: ["cle", "state"], dialect: { headerLine: 2 } });
    expect(rows.at(-1)).toEqual([4, "A", "open"]);
  });

  it("is the same when a run that is resumed names its row", async () => {
    const rows = rowsOf(["cle", "Order", ""], ["", "number", "date"], ["A", "1", "2024-03-26"]);
    const sheets = [{ rows, after: merged("A1:A2", "B1:C1") }];
    const first = await readBook({ sheets });
    const again = await readBook({ sheets }, { headerLine: 2 });
    expect(again.inspection.reading.fingerprint).toBe(first.inspection.reading.fingerprint);
    expect(again.rows).toEqual(first.rows);
  });
});

describe("merged cells are no header", () => {
  const data = rowsOf(["cle", "state"], ["A", "open"], ["", "closed"]);

  it.each([
    ["below a header", data, ["A2:A3"], {}, [2, "A", "open"], [3, fault, "closed"]],
    [
      "in a sheet without one",
      rowsOf(["A", "open"], ["", "open"], ["B", "open"]),
      ["A1:A2", "B1:B2"],
      { header: false },
      [1, "A", "open"],
      [2, fault, "open"],
      [3, "B", "open"],
    ],
    [
      "beside a filled cell that is not merged",
      rowsOf(["cle", "state"], ["", "closed"], ["B", "open"]),
      ["A1:A2"],
      {},
      [2, fault, "closed"],
      [3, "B", "open"],
    ],
    [
      "where another row is named",
      rowsOf(["cle", "state"], ["", ""], ["B", "open"]),
      ["A1:A2", "B1:B2"],
      { headerLine: 1 },
      [2, "", ""],
      [3, "B", "open"],
    ],
    [
      "where they go on below",
      rowsOf(["cle", "Order", ""], ["", "a", "b"], ["", "", "2"], ["K", "", "4"]),
      ["A1:A3", "B1:C1", "B2:B4"],
      { headerLine: 2 },
      [3, fault, fault, "2"],
      [4, "K", fault, "4"],
    ],
  ] as const)("%s", async (_, rows, ranges, options, ...expected) => {
    const book = await readBook({ sheets: [{ rows, after: merged(...ranges) }] }, options);
    expect(book.rows).toEqual(expected);
    expect(book.inspection.reading.notices.map(({ text }) => text).join()).not.toContain("merged over rows");
  });
});
