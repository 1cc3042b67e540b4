import { describe, expect, it } from "vitest";
import { MONTH_NAMES, monthOf } from "../../../src/fields/date/calendar.ts";
import { collectEvidence } from "../../../src/fields/survey/column-evidence.ts";
import { JsonNumber, NestedValue } from "../../../src/model/rows.ts";
import { DATE, readCell, settleCells, TODAY } from "../read-as.ts";
import { failureOf } from "../survey/survey-support.ts";
import { cldrNames } from "./cldr-names.ts";

// Each day in the usual forms is read in date-forms.test.ts.
describe("a date that reads one way only", () => {
  it.each([
    [
      "2016-07-05",
      "2016.07.05|2016 07 05|  2016-07-05\u00a0|Jul 5 2016|July 5th, 2016|05JUL2016|2016-Jul-05",
    ],
    ["2024-03-26", "26/03/2024|03/26/2024|26. 3. 2024"],
    ["1999-03-26", "26.3.99"],
    ["2016-05-05", "05/05/2016"],
    ["1970-01-31", "70-01-31"],
    ["2000-02-29", "29/02/2000"],
    ["1111-11-11", "1111/11/11"],
    ["2016-08-01", "1er août 2016|1ER AOUT 2016"],
    ["2016-02-05", "5 févr. 2016"],
    ["2016-03-05", "mar 5 2016|5. Mrz 2016|5 mrt 2016"],
    ["2011-09-23", "23-Sep-11"],
    ["1970-09-23", "23-sept.-1970"],
    ["2016-12-05", "5 de dez. de 2016"],
    ["2016-07-01", "1º luglio 2016"],
    ["2019-04-19", "2019.04.19.|2019. 04. 19.|19.04.2019.|19. 4. 19."],
  ])("is %s: %s", (date, cells) => {
    for (const cell of cells.split("|")) expect([cell, readCell(cell, DATE)]).toEqual([cell, date]);
  });
});

describe("a cell that is no date", () => {
  it.each([
    ["there is no such day", "31/02/2016|29/02/2015|29/02/1900|31-04-2016|2016-06-31|31 juin 2016"],
    ["there is no such day", "2016-13-01|20161301|26/13/2016|2016-31-01|2016-07-00|00/07/2016"],
    ["there is no such day", "0000-00-00|01/01/0001"],
    ["it is not written like a date", "2016|201607|5|20160705143000|26/07/5|12-05-2"],
    ["it is not written like a date", "2016-07|05/07|05/07-2016|05/07/216|5/7/6|05/007/2016|123/07/2016"],
    ["it is not written like a date", "2016-07-005|juillet 2016|foo 5 juillet 2016|mardi 5 juillet 2016"],
    ["it is not written like a date", "le 5 juillet 2016|Pending|-5/07/2016|2019.04.|٠٥/٠٧/٢٠١٦"],
    ["it names no month in a language that is read", "5 jui 2016|T1 2016|2016-W27-2"],
    [
      "what follows the date is not a time",
      "5 Jul 16:30|2016-07-05 ?|2016-07-05+02:00|2019.04.19..|20160705T1430",
    ],
    ["what follows the date is not a time", "2019-04-19.|26/04/2019."],
    ["it looks like a spreadsheet date serial", "42556|42556,75"],
    ["it looks like seconds since 1970", "1467676800"],
    ["it looks like milliseconds since 1970", "1467676800000"],
    ["it is an error of a spreadsheet formula", "#REF!|#N/A|#VALEUR!"],
    ["a spreadsheet wrote signs because its column was too narrow", "########"],
  ])("is refused because %s: %s", (reason, cells) => {
    for (const cell of cells.split("|"))
      expect([cell, readCell(cell, DATE)]).toEqual([cell, `refused: ${reason}`]);
  });

  it.each([
    [new JsonNumber("42556"), "it looks like a spreadsheet date serial"],
    [new JsonNumber("12"), "it is not written like a date"],
    [true, "true is not a date"],
    [new NestedValue("array"), "the array has no value of its own"],
  ])("refuses the JSON value %j", (cell, reason) => {
    expect(readCell(cell, DATE)).toBe(`refused: ${reason}`);
  });
});

describe("a pinned date format", () => {
  it.each([
    ["DD/MM/YYYY", "2016-07-05", "05/07/2016|05-07-16|2016-07-05|5 Jul 2016"],
    ["DD/MM/YYYY", "refused: it is not a date in the format DD/MM/YYYY", "07/26/2016"],
    ["MM/DD/YYYY", "2016-05-07", "05/07/2016"],
    ["MM/DD/YYYY", "refused: it is not a date in the format MM/DD/YYYY", "26/07/2016"],
    ["YY-MM-DD", "2005-07-16", "05-07-16|05/07/16"],
    ["YY-MM-DD", "1970-01-31", "70/01/31"],
    ["YY-MM-DD", "refused: it is not a date in the format YY-MM-DD", "05/07/2016"],
    ["YYYY-MM-DD", "2016-07-05", "2016-07-05"],
    ["YYYY-MM-DD", "refused: it is not a date in the format YYYY-MM-DD", "05/07/2016|26/07/2016"],
    ["DDMMYYYY", "2016-07-05", "05072016|5072016|05/07/2016"],
    ["DDMMYYYY", "refused: there is no such day", "31062016|20160705"],
    ["DDMMYYYY", "refused: it is not written like a date", "050716"],
    ["excel", "2016-07-05", "42556|42556.75|42556,999999999|20160705|2016-07-05"],
    ["excel", "1900-01-01", "1"],
    ["excel", "1900-02-28", "59"],
    ["excel", "1900-03-01", "61"],
    ["excel", "9999-12-31", "2958465"],
    ["excel", "refused: no day has this serial", "0|60|60.5|2958466"],
    ["excel", "refused: it is not a date in the format excel", "26/07/2016"],
    ["epoch", "2016-07-05", "1467676800|1467676800,000"],
    ["epoch", "1969-12-31", "-86400"],
    ["epoch", "refused: it means no date, or is in another unit", "99999999999999999999"],
    ["epoch-ms", "2016-07-05", "1467676800000"],
  ] as const)("%s reads as %s: %s", (format, expected, cells) => {
    for (const cell of cells.split("|")) {
      expect([cell, readCell(cell, { kind: "date", format })]).toEqual([cell, expected]);
      expect([cell, readCell(cell, DATE, { dateFormat: format })]).toEqual([cell, expected]);
    }
  });

  it("reads JSON numbers as serials and epochs", () => {
    expect(readCell(new JsonNumber("4.2556e4"), { kind: "date", format: "excel" })).toBe("2016-07-05");
    expect(readCell(new JsonNumber("1467676800"), { kind: "date", format: "epoch" })).toBe("2016-07-05");
  });
});

describe("an epoch", () => {
  const EPOCH = { kind: "date", format: "epoch" } as const;
  const EPOCH_MS = { kind: "date", format: "epoch-ms" } as const;

  it.each([
    [EPOCH, "1467669600", "2016-07-05"],
    [EPOCH, "1467669599.999", "2016-07-04"],
    [EPOCH, "-86401", "1969-12-31"],
    [EPOCH_MS, "1467669600000", "2016-07-05"],
    [EPOCH_MS, "1467669599999", "2016-07-04"],
    [EPOCH_MS, "1467669599999.9", "2016-07-04"],
  ])("is a moment, with the date of the time zone: %j %s", (type, cell, date) => {
    expect(readCell(cell, type, { timeZone: "Europe/Paris" })).toBe(date);
  });

  it.each([
    [EPOCH, "0|-1|-3600|200000000000|-99999999999|17000000|20160705", "^--null CELL, "],
    [EPOCH_MS, "0|0.0|31535999999|946684800", "^--null CELL, "],
    [EPOCH, "42556", "date:excel$"],
    [EPOCH, "1467669600000", "date:epoch-ms$"],
    [EPOCH_MS, "1467669600|1467676800", "date:epoch$"],
  ])("is no date where it stands for none, or has another unit: %j %s", (type, cells, told) => {
    for (const cell of cells.split("|")) {
      const refused = collectEvidence(type, { timeZone: "UTC" }, "day", TODAY).take(new JsonNumber(cell), 2);
      const hint = expect.stringMatching(new RegExp(told.replace("CELL", cell)));
      expect(refused).toMatchObject({ reason: expect.stringMatching(/^it (?:means|looks) /), hint });
    }
  });

  it.each([
    [EPOCH, ["1467676800", "1467669600"]],
    [EPOCH, ["1467676800.001"]],
    [EPOCH, [new JsonNumber("1467669600")]],
    [EPOCH_MS, ["1467676800000", "1467676800001"]],
  ])("asks for the time zone where not all are midnight: %j %j", (type, cells) => {
    const stop = failureOf(() => settleCells(cells, type));
    expect(stop).toMatchObject({ code: "missing-time-zone", hint: "--time-zone Europe/Paris" });
    expect(stop.message).toContain("is a moment, whose date depends on the time zone");
  });
});

it("names of months are those of CLDR, and each is that of one month", () => {
  for (let month = 1; month <= 12; month++) {
    const names = cldrNames(new Date(Date.UTC(2021, month - 1, 5)));
    expect(names.length).toBeGreaterThan(6);
    const spellings = names
      .map((name) => name.replaceAll(".", ""))
      .flatMap((name) => [name, name.toUpperCase(), name.normalize("NFD")]);
    expect(spellings.filter((name) => monthOf(name) !== month)).toEqual([]);
  }
  const names = MONTH_NAMES.flatMap((line) => line.split(" "));
  expect(new Set(names).size).toBe(names.length);
  expect("jui|j||constructor|2|mardi".split("|").filter((name) => monthOf(name) !== undefined)).toEqual([]);
});
