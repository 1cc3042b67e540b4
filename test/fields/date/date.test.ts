import { describe, expect, it } from "vitest";
import { collectEvidence } from "../../../src/fields/survey/column-evidence.ts";
import { JsonNumber, NestedValue } from "../../../src/model/rows.ts";
import { DATE, TODAY, readCell, readCells, settleCells, stopOf } from "../read-as.ts";

// Each day in the usual forms is read in date-forms.test.ts.
describe("a date that reads one way only", () => {
  it.each([
    ["2016.07.05", "2016-07-05"],
    ["2016 07 05", "2016-07-05"],
    ["26/03/2024", "2024-03-26"],
    ["03/26/2024", "2024-03-26"],
    ["26.3.99", "1999-03-26"],
    ["26. 3. 2024", "2024-03-26"],
    ["05/05/2016", "2016-05-05"],
    ["70-01-31", "1970-01-31"],
    ["29/02/2000", "2000-02-29"],
    ["  2016-07-05\u00a0", "2016-07-05"],
    ["1111/11/11", "1111-11-11"],
    ["1er août 2016", "2016-08-01"],
    ["1ER AOUT 2016", "2016-08-01"],
    ["5 févr. 2016", "2016-02-05"],
    ["mar 5 2016", "2016-03-05"],
    ["Jul 5 2016", "2016-07-05"],
    ["July 5th, 2016", "2016-07-05"],
    ["23-Sep-11", "2011-09-23"],
    ["23-sept.-1970", "1970-09-23"],
    ["05JUL2016", "2016-07-05"],
    ["2016-Jul-05", "2016-07-05"],
    ["5. Mrz 2016", "2016-03-05"],
    ["5 de dez. de 2016", "2016-12-05"],
    ["1º luglio 2016", "2016-07-01"],
    ["5 mrt 2016", "2016-03-05"],
    ["2019.04.19.", "2019-04-19"],
    ["2019. 04. 19.", "2019-04-19"],
    ["19.04.2019.", "2019-04-19"],
    ["19. 4. 19.", "2019-04-19"],
    ["2019.04.19. 14:30", "2019-04-19"],
  ])("reads %j as %s", (cell, date) => {
    expect(readCell(cell, DATE)).toBe(date);
  });
});

describe("a cell that is no date", () => {
  it.each([
    ["31/02/2016", "31 February is not a date"],
    ["29/02/2015", "29 February 2015 is not a date"],
    ["29/02/1900", "29 February 1900 is not a date"],
    ["31-04-2016", "31 April is not a date"],
    ["26/13/2016", "26 is not a month"],
    ["2016-13-01", "13 is not a month"],
    ["2016-06-31", "31 June is not a date"],
    ["2016-07-00", "0 is not a day"],
    ["2016-31-01", "31 is not a month"],
    ["20161301", "13 is not a month"],
    ["00/07/2016", "0 is not a day"],
    ["0000-00-00", "the year 0000 is not taken"],
    ["01/01/0001", "the year 0001 is not taken"],
    ["31 juin 2016", "31 June is not a date"],
    ["2016", "a number alone is not a date"],
    ["201607", "a number alone is not a date"],
    ["5", "a number alone is not a date"],
    ["20160705143000", "a number alone is not a date"],
    ["2016-07", "it is not written like a date"],
    ["05/07", "it is not written like a date"],
    ["05/07-2016", "it is not written like a date"],
    ["05/07/216", "it is not written like a date"],
    ["5/7/6", "it is not written like a date"],
    ["05/007/2016", "it is not written like a date"],
    ["123/07/2016", "it is not written like a date"],
    ["2016-07-005", "it is not written like a date"],
    ["5 jui 2016", "it names no month in a language that is read"],
    ["juillet 2016", "it is not written like a date"],
    ["foo 5 juillet 2016", "it is not written like a date"],
    ["mardi 5 juillet 2016", "it is not written like a date"],
    ["le 5 juillet 2016", "it is not written like a date"],
    ["5 Jul 16:30", "what follows the date is not a time"],
    ["T1 2016", "it names no month in a language that is read"],
    ["Pending", "it is not written like a date"],
    ["2016-07-05 ?", "what follows the date is not a time"],
    ["2016-07-05+02:00", "what follows the date is not a time"],
    ["42556", "it looks like a spreadsheet date serial"],
    ["42556,75", "it looks like a spreadsheet date serial"],
    ["1467676800", "it looks like seconds since 1970"],
    ["1467676800000", "it looks like milliseconds since 1970"],
    ["#REF!", "it is an error of a spreadsheet formula"],
    ["#N/A", "it is an error of a spreadsheet formula"],
    ["#VALEUR!", "it is an error of a spreadsheet formula"],
    ["########", "a spreadsheet wrote signs because its column was too narrow"],
    ["-5/07/2016", "it is not written like a date"],
    ["2019.04.19..", "what follows the date is not a time"],
    ["2019-04-19.", "what follows the date is not a time"],
    ["26/04/2019.", "what follows the date is not a time"],
    ["2019.04.", "it is not written like a date"],
    ["٠٥/٠٧/٢٠١٦", "it is not written like a date"],
    ["2016-W27-2", "it names no month in a language that is read"],
  ])("refuses %j: %s", (cell, reason) => {
    expect(readCell(cell, DATE)).toBe(`refused: ${reason}`);
  });

  it.each([
    [new JsonNumber("42556"), "it looks like a spreadsheet date serial"],
    [new JsonNumber("12"), "a number alone is not a date"],
    [true, "true is not a date"],
    [new NestedValue("array"), "the array has no value of its own"],
  ])("refuses the JSON value %j", (cell, reason) => {
    expect(readCell(cell, DATE)).toBe(`refused: ${reason}`);
  });

  it("reads eight digits as a JSON number", () => {
    expect(readCell(new JsonNumber("20160705"), DATE)).toBe("2016-07-05");
  });
});

describe("a pinned date format", () => {
  it.each([
    ["DD/MM/YYYY", "05/07/2016", "2016-07-05"],
    ["DD/MM/YYYY", "05-07-16", "2016-07-05"],
    ["DD/MM/YYYY", "2016-07-05", "2016-07-05"],
    ["DD/MM/YYYY", "5 Jul 2016", "2016-07-05"],
    ["DD/MM/YYYY", "07/26/2016", "refused: it is not a date in the format DD/MM/YYYY"],
    ["MM/DD/YYYY", "05/07/2016", "2016-05-07"],
    ["MM/DD/YYYY", "26/07/2016", "refused: it is not a date in the format MM/DD/YYYY"],
    ["YY-MM-DD", "05-07-16", "2005-07-16"],
    ["YY-MM-DD", "05/07/16", "2005-07-16"],
    ["YY-MM-DD", "70/01/31", "1970-01-31"],
    ["YY-MM-DD", "05/07/2016", "refused: it is not a date in the format YY-MM-DD"],
    ["YYYY-MM-DD", "2016-07-05", "2016-07-05"],
    ["YYYY-MM-DD", "05/07/2016", "refused: it is not a date in the format YYYY-MM-DD"],
    ["YYYY-MM-DD", "26/07/2016", "refused: it is not a date in the format YYYY-MM-DD"],
    ["excel", "42556", "2016-07-05"],
    ["excel", "42556.75", "2016-07-05"],
    ["excel", "42556,999999999", "2016-07-05"],
    ["DDMMYYYY", "05072016", "2016-07-05"],
    ["DDMMYYYY", "5072016", "2016-07-05"],
    ["DDMMYYYY", "05/07/2016", "2016-07-05"],
    ["DDMMYYYY", "31062016", "refused: 31 June is not a date"],
    ["DDMMYYYY", "20160705", "refused: the year 0705 is not taken"],
    ["DDMMYYYY", "050716", "refused: a number alone is not a date"],
    ["excel", "1", "1900-01-01"],
    ["excel", "59", "1900-02-28"],
    ["excel", "60", "refused: no day has this serial"],
    ["excel", "60.5", "refused: no day has this serial"],
    ["excel", "61", "1900-03-01"],
    ["excel", "0", "refused: no day has this serial"],
    ["excel", "2958465", "9999-12-31"],
    ["excel", "2958466", "refused: no day has this serial"],
    ["excel", "20160705", "2016-07-05"],
    ["excel", "2016-07-05", "2016-07-05"],
    ["excel", "26/07/2016", "refused: it is not a date in the format excel"],
    ["epoch", "1467676800", "2016-07-05"],
    ["epoch", "-86400", "1969-12-31"],
    ["epoch", "1467676800,000", "2016-07-05"],
    ["epoch", "99999999999999999999", "refused: it would be no date: it means none, or is in another unit"],
    ["epoch-ms", "1467676800000", "2016-07-05"],
  ] as const)("%s reads %j as %s", (format, cell, expected) => {
    expect(readCell(cell, { kind: "date", format })).toBe(expected);
    expect(readCell(cell, DATE, { dateFormat: format })).toBe(expected);
  });

  it("reads JSON numbers as serials and epochs", () => {
    expect(readCell(new JsonNumber("4.2556e4"), { kind: "date", format: "excel" })).toBe("2016-07-05");
    expect(readCell(new JsonNumber("1467676800"), { kind: "date", format: "epoch" })).toBe("2016-07-05");
  });

  it("takes the field's own format before that for all", () => {
    expect(readCell("05/07/2016", { kind: "date", format: "MM/DD/YYYY" }, { dateFormat: "DD/MM/YYYY" })).toBe(
      "2016-05-07",
    );
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
    [EPOCH, "0", /^--null 0, /],
    [EPOCH, "-1", /^--null -1, /],
    [EPOCH, "-3600", /^--null -3600, /],
    [EPOCH_MS, "0", /^--null 0, /],
    [EPOCH_MS, "0.0", /^--null 0\.0, /],
    [EPOCH, "42556", /date:excel$/],
    [EPOCH, "1467669600000", /date:epoch-ms$/],
    [EPOCH, "200000000000", /^--null 200000000000, /],
    [EPOCH, "-99999999999", /^--null -99999999999, /],
    [EPOCH_MS, "1467669600", /date:epoch$/],
    [EPOCH_MS, "1467676800", /date:epoch$/],
    [EPOCH, "17000000", /^--null 17000000, /],
    [EPOCH, "20160705", /^--null 20160705, /],
    [EPOCH_MS, "31535999999", /^--null 31535999999, /],
    [EPOCH_MS, "946684800", /^--null 946684800, /],
  ])("is no date where it stands for none, or has another unit: %j %s", (type, cell, hint) => {
    const evidence = collectEvidence(type, { timeZone: "UTC" }, "day", TODAY);
    const unreadable = evidence.take(new JsonNumber(cell), 2);
    expect(unreadable).toMatchObject({
      reason: expect.stringMatching(/^it (?:is|looks|would be) /),
      hint: expect.stringMatching(hint),
    });
  });

  it.each([
    [EPOCH, ["1467676800", "1467669600"]],
    [EPOCH, ["1467676800.001"]],
    [EPOCH, [new JsonNumber("1467669600")]],
    [EPOCH_MS, ["1467676800000", "1467676800001"]],
  ])("asks for the time zone where not all are midnight: %j %j", (type, cells) => {
    const stop = stopOf(() => settleCells(cells, type));
    expect(stop).toMatchObject({ code: "missing-time-zone", hint: "--time-zone Europe/Paris" });
    expect(stop.message).toContain("is a moment, whose date depends on the time zone");
  });

  it("stands as it is where every value is midnight, with or without a time zone", () => {
    const cells = ["1467676800", "1451952000", "2016-03-01"];
    const dates = ["2016-07-05", "2016-01-05", "2016-03-01"];
    expect(readCells(cells, EPOCH)).toEqual(dates);
    expect(readCells(cells, EPOCH, { timeZone: "America/New_York" })).toEqual(dates);
  });

  it("converts midnights too once the column holds another time", () => {
    expect(readCells(["1467676800", "1467676801"], EPOCH, { timeZone: "America/New_York" })).toEqual([
      "2016-07-04",
      "2016-07-04",
    ]);
  });

  it("agrees with Intl around every change of the clock", () => {
    const wall = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York", dateStyle: "short" });
    const seconds = Array.from({ length: 366 * 24 }, (_, hour) => Date.UTC(2015, 9, 1, hour, 30) / 1000);
    expect(readCells(seconds.map(String), EPOCH, { timeZone: "America/New_York" })).toEqual(
      seconds.map((at) => wall.format(at * 1000)),
    );
  });
});
