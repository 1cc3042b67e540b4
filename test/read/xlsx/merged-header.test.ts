import { describe, expect, it } from "vitest";
import { textRow } from "../../support/workbook.ts";
import { readBook } from "./read-workbook.ts";

const merged = (...ranges: readonly string[]): string =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
const rowsOf = (...rows: readonly (readonly string[])[]): string =>
  rows.map((texts, at) => textRow(at + 1, texts)).join("");
const fault = { fault: "the cell is merged with the one above it" };

describe("a header of merged cells", () => {
  const TWO_ROWS = rowsOf(
    ["cle", "Order", "", "num_commande"],
    ["", "number", "date", ""],
    ["A", "1", "2024-03-26", "7"],
  );

  it.each<[string, string, string[], number, number, string[]]>([
    ["two", TWO_ROWS, ["A1:A2", "B1:C1", "D1:D2"], 1, 2, ["", "number", "date", ""]],
    [
      "two, below a title",
      rowsOf(["Export of May"], ["cle", "Order", ""], ["", "number", "date"], ["A", "1", "x"]),
      ["A1:C1", "A2:A3", "B2:C2"],
      2,
      3,
      ["", "number", "date"],
    ],
  ])(
    "of %s rows stops with the option that names the last of them",
    async (_, rows, ranges, line, last, names) => {
      const sheets = [{ rows, after: merged(...ranges) }];
      await expect(readBook({ sheets }, { isKnownHeader: (name) => name === "cle" })).rejects.toMatchObject({
        code: "merged-header",
        place: { line },
        hint: expect.stringContaining(`--header-line ${last} `) as string,
      });
      const { inspection, rows: read } = await readBook({ sheets }, { headerLine: last });
      expect(inspection.reading.columns).toEqual(names);
      expect(read.map(([at]) => at)).toEqual([last + 1]);
    },
  );

  it("whose cells are merged along the row only is one of equal names", async () => {
    const rows = rowsOf(["Order", "", "Invoice", ""], ["cle", "date", "cle", "date"], ["A", "x", "B", "y"]);
    const sheets = [{ rows, after: merged("A1:B1", "C1:D1") }];
    await expect(readBook({ sheets }, { isKnownHeader: () => false })).rejects.toMatchObject({
      code: "no-header",
    });
  });

  it("of one row is one, whatever is merged above it or left blank below it", async () => {
    const tall = textRow(1, ["cle", "state"]) + textRow(4, ["A", "open"]);
    const { inspection, rows } = await readBook({
      sheets: [{ rows: tall, after: merged("A1:A2", "B1:B2") }],
    });
    expect(inspection.reading).toMatchObject({ columns: ["cle", "state"], dialect: { headerLine: 1 } });
    expect(rows.at(-1)).toEqual([4, "A", "open"]);
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
      "beside a filled cell that is not merged, where the header's row is named",
      rowsOf(["cle", "state"], ["", "closed"], ["B", "open"]),
      ["A1:A2"],
      { headerLine: 1 },
      [2, fault, "closed"],
      [3, "B", "open"],
    ],
    [
      "where another row is named",
      rowsOf(["cle", "state"], ["", ""], ["B", "open"]),
      ["A1:A2", "B1:B2"],
      { headerLine: 1 },
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
