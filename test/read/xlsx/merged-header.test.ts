import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../support/parted.ts";
import { textRow } from "../../support/workbook.ts";
import { readBook } from "./read-workbook.ts";

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
      const isKnownHeader = (name: string): boolean => name === "cle";
      await expect(readBook({ sheets }, { isKnownHeader })).rejects.toMatchObject(asked);
      const { inspection, rows: read } = await readBook({ sheets }, { headerLine: line + 1 });
      expect(inspection.reading.columns).toEqual(names.split(";"));
      expect(read.map(([at]) => at)).toEqual([line + 2]);
    },
  );

  it("whose cells are merged along the row only is one of equal names", async () => {
    const rows = rowsOf("Order;;Invoice;|cle;date;cle;date|A;x;B;y");
    const sheets = [{ rows, after: merged("A1:B1", "C1:D1") }];
    const reading = readBook({ sheets }, { isKnownHeader: () => false });
    await expect(reading).rejects.toMatchObject({ code: "no-header" });
  });

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
