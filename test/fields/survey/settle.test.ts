import { describe, expect, it } from "vitest";
import { readerOf } from "../../../src/fields/survey/column-format.ts";
import { collectEvidence } from "../../../src/fields/survey/column-evidence.ts";
import type { FieldType, FormatPins } from "../../../src/fields/type-text.ts";
import { AMOUNT, DATE, settleCells, settleFile, TODAY, told } from "../read-as.ts";
import { failureOf } from "./survey-support.ts";

const DIGITS: FieldType = { kind: "digits" };

describe("the order of dates", () => {
  it("is settled by the first cell that leaves one", () => {
    const settled = settleCells(["05/07/2016", "26/03/2024", "27/03/2024"], DATE);
    expect(told(settled)).toEqual(["DD/MM/YYYY", 'line 3 "26/03/2024"', true]);
    expect(readerOf(settled.spec)("05/07/2016")).toBe("2016-07-05");
  });

  it("stops with both readings where nothing settles it", () => {
    const file = { date_billed: [DATE, ["2016-01-01", "05/07/2016", "06/07/2016"]] } as const;
    const stop = failureOf(() => settleFile(file));
    const place = { file: "orders.csv", line: 3 };
    expect(stop).toMatchObject({ kind: "input", code: "ambiguous-date", place });
    expect(stop.message).toBe(
      'orders.csv: column "date_billed": line 3 "05/07/2016" is 5 July 2016 or 7 May 2016',
    );
    expect(stop.hint).toBe("--type date_billed=date:DD/MM/YYYY or --type date_billed=date:MM/DD/YYYY");
  });

  it.each([
    [["06-11-15"], "06-11-15", "6 November 2015 or 11 June 2015 or 15 November 2006"],
    [["12-09-12", "12-03-01"], "12-03-01", "12 March 2001 or 3 December 2001 or 1 March 2012"],
    [["05-05-16"], "05-05-16", "5 May 2016 or 16 May 2005, and other cells may have a third reading"],
  ])("stops with each order that is left, by a cell that tells most apart: %j", (cells, shown, readings) => {
    const stop = failureOf(() => settleCells(cells, DATE));
    expect(stop.message).toContain(`"${shown}" is ${readings}`);
    expect(stop.hint).toBe(
      "--type column=date:DD/MM/YYYY or --type column=date:MM/DD/YYYY or --type column=date:YY-MM-DD",
    );
  });

  it("stops at a contradiction, naming both cells", () => {
    const stop = failureOf(() => settleCells(["05/07/2016", "26/03/2024", "03/26/2024"], DATE));
    expect(stop.code).toBe("contradicting-formats");
    expect(stop.message).toContain('line 3 "26/03/2024" and line 4 "03/26/2024"');
    expect(stop.hint).toBe("--type column=date:DD/MM/YYYY or --type column=date:MM/DD/YYYY");
  });
});

describe("the other columns of the file", () => {
  it("settle an ambiguous column where they agree", () => {
    const [billed, closed, due] = settleFile({
      date_billed: [DATE, ["05/07/2016"]],
      date_closed: [DATE, ["26/03/2024"]],
      date_due: [DATE, ["27.03.2024"]],
    });
    expect(told(billed!)).toEqual(["DD/MM/YYYY", 'the columns "date_closed", "date_due"', true]);
    expect(readerOf(billed!.spec)("05/07/2016")).toBe("2016-07-05");
    expect(told(closed!)[1]).toBe('line 2 "26/03/2024"');
    expect(told(due!)[1]).toBe('line 2 "27.03.2024"');
  });

  const american: FieldType = { kind: "date", format: "MM/DD/YYYY" };

  it.each<[string, Parameters<typeof settleFile>[0]]>([
    ["where they disagree", { closed: [DATE, ["26/03/2024"]], due: [DATE, ["03/27/2024"]] }],
    ["against the pin of another", { closed: [DATE, ["26/03/2024"]], due: [american, ["05/07/2016"]] }],
  ])("settle nothing %s", (_, others) => {
    const stop = failureOf(() => settleFile({ date_billed: [DATE, ["05/07/2016"]], ...others }));
    expect(stop.code).toBe("ambiguous-date");
    expect(stop.message).toContain('"date_billed"');
  });

  it("settle nothing about an order that they never could have had", () => {
    const file = { date_billed: [DATE, ["16-07-25"]], date_closed: [DATE, ["26/03/2024"]] } as const;
    expect(failureOf(() => settleFile(file)).code).toBe("ambiguous-date");
  });

  it("count with a pin only where their cells prove it", () => {
    const french: FieldType = { kind: "date", format: "DD/MM/YYYY" };
    expect(() => settleFile({ a: [DATE, ["05/07/2016"]], b: [french, ["05/07/2016"]] })).toThrow(
      "5 July 2016",
    );
    const [a] = settleFile({ a: [DATE, ["05/07/2016"]], b: [french, ["26/07/2016"]] });
    expect(told(a!)).toEqual(["DD/MM/YYYY", 'the column "b"', true]);
  });
});

describe("several doubts in one file", () => {
  it("are told in one message, with options for each column", () => {
    const stop = failureOf(() =>
      settleFile({
        num_commande: [DIGITS, ["551035"]],
        date_billed: [DATE, ["05/07/2016"]],
        date_closed: [DATE, ["06/07/2016"]],
        amount: [AMOUNT, ["1,234"]],
        moment: [DATE, ["2016-07-05T10:00:00Z"]],
      }),
    );
    expect(stop.message.split("\n")).toHaveLength(5);
    expect(stop.message).toContain("4 questions about its columns");
    expect(stop.hint?.split("\n")).toEqual([
      "--type date_billed=date:DD/MM/YYYY or --type date_billed=date:MM/DD/YYYY",
      "--type date_closed=date:DD/MM/YYYY or --type date_closed=date:MM/DD/YYYY",
      "--type amount=amount:, or --type amount=amount:.",
      "--time-zone Europe/Paris",
    ]);
  });
});

describe("pins", () => {
  it.each<[string, string, FieldType, FormatPins]>([
    ["DD/MM/YYYY", "--date-format", DATE, { dateFormat: "DD/MM/YYYY" }],
    ["MM/DD/YYYY", "--type", { kind: "date", format: "MM/DD/YYYY" }, {}],
    ["decimal comma", "--decimal", AMOUNT, { decimal: "," }],
  ])("of %s are told as what settled it, and nothing is inferred", (format, by, type, pins) => {
    const cell = type.kind === "amount" ? "1,234" : "05/07/2016";
    expect(told(settleCells([cell], type, pins))).toEqual([format, by, false]);
  });
});

describe("a word for no value", () => {
  it.each([
    [DATE, "NULL", "--null NULL"],
    [AMOUNT, "N/A", "--null N/A"],
    [DIGITS, "None", "--null None"],
    [AMOUNT, "-", "--null -"],
    [DATE, "soon", undefined],
  ])("is refused in a column of %j: %s, with the option %s", (type, cell, hint) => {
    const refused = collectEvidence(type, {}, "c", TODAY).take(cell, 2);
    expect(refused).toEqual({ reason: expect.any(String), ...(hint === undefined ? {} : { hint }) });
  });
});
