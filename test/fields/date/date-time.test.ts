import { describe, expect, it } from "vitest";
import { DATE, readCell, readCells, readOrStop, settleCells } from "../read-as.ts";
import { atNight } from "../../support/draws.ts";

describe("a time after a date whose order is open", () => {
  it("leaves it open", () => {
    expect(readOrStop("05/07/2016 14h30", DATE)).toBe("stopped");
    expect(readCells(["05/07/2016 14h30", "26/07/2016"], DATE)).toEqual(["2016-07-05", "2016-07-26"]);
  });
});

describe("a time after a date", () => {
  it.each([
    "2016-07-05T14:30",
    "2016-07-05t14:30:00",
    "2016-07-05T14:30:00.123456789",
    "2016-07-05T14:30:00,5",
    "2016-07-05T143000",
    "20160705T1430",
    "2016-07-05 14:30:00.000",
    "5 juillet 2016 14h30",
    "5 juillet 2016, 14 h 30",
    "5 juillet 2016 14h",
    "Jul 5, 2016, 2:30 PM",
    "Jul 5, 2016, 2:30\u202fPM",
    "Jul 5 2016 12:00 a.m.",
    "July 5, 2016 23:59:60",
    "2016-07-05 9:05",
  ])("keeps the date of %j", (cell) => {
    expect(readCell(cell, DATE)).toBe("2016-07-05");
  });

  it.each([
    ["2016-07-05 14h3", "what follows the date is not a time"],
    ["2016-07-05 à 14h30", "what follows the date is not a time"],
    ["2016-07-05 25h", "its time does not exist"],
    ["2016-07-05 de 14h30", "what follows the date is not a time"],
    ["2016-07-05T24:00", "its time does not exist"],
    ["2016-07-05T14:60", "its time does not exist"],
    ["2016-07-05 25:00", "its time does not exist"],
    ["2016-07-05 14:30:61", "its time does not exist"],
    ["2016-07-05 13:05 PM", "its time does not exist"],
    ["2016-07-05T14", "what follows the date is not a time"],
    ["2016-07-05 143000", "what follows the date is not a time"],
    ["2016-07-05 14:30 CET", "what follows its time is no zone such as +02:00"],
    ["2016-07-05 14:30 Europe/Paris", "what follows its time is no zone such as +02:00"],
    ["2016-07-05 14:30 xx yy", "what follows its time is no zone such as +02:00"],
    ["2016-07-05T14:30:00+2", "what follows its time is no zone such as +02:00"],
    ["2016-07-05T14:30:00+25:00", "what follows its time is no zone such as +02:00"],
    ["2016-07-05T14:30:00+02:60", "what follows its time is no zone such as +02:00"],
    ["2016-07-05T14:30:00+020", "what follows its time is no zone such as +02:00"],
  ])("refuses %j: %s", (cell, reason) => {
    expect(readCell(cell, DATE)).toBe(`refused: ${reason}`);
  });
});

describe("a date-time with a zone", () => {
  const paris = { timeZone: "Europe/Paris" };

  it.each([
    ["2016-07-04T22:00:00Z", "2016-07-05"],
    ["2016-07-04T21:59:59Z", "2016-07-04"],
    ["2016-01-04T22:59:59.999Z", "2016-01-04"],
    ["2016-01-04T23:00:00 UTC", "2016-01-05"],
    ["2016-07-05T00:30:00+05:30", "2016-07-04"],
    ["2016-07-04 20:00:00 -0400", "2016-07-05"],
    ["2016-07-04T18:00:00-04", "2016-07-05"],
    ["5 Jul 2016 00:10:00 GMT+0200", "2016-07-05"],
    ["2016-10-29T22:30:00Z", "2016-10-30"],
    ["2016-03-27T22:30:00Z", "2016-03-28"],
  ])("%s is %s in Paris", (cell, date) => {
    expect(readCell(cell, DATE, paris)).toBe(date);
  });

  it("agrees with Intl around every change of the clock", () => {
    const wall = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York", dateStyle: "short" });
    // By day the weeks of two changes.
    const [days, from] = atNight ? [2 * 366, Date.UTC(2015, 0, 1)] : [250, Date.UTC(2015, 2, 5)];
    const instants = Array.from(
      { length: days * 24 },
      (_, hour) => new Date(from + (hour + 0.5) * 3_600_000),
    );
    const cells = instants.map((instant) => instant.toISOString());
    expect(readCells(cells, DATE, { timeZone: "America/New_York" })).toEqual(
      instants.map((at) => wall.format(at)),
    );
  });

  it("stands as written where every value is midnight, with or without a time zone", () => {
    const cells = ["2016-07-05T00:00:00+02:00", "2016-01-05T00:00:00.000+01:00", "2016-03-01"];
    const dates = ["2016-07-05", "2016-01-05", "2016-03-01"];
    expect(readCells(cells, DATE)).toEqual(dates);
    expect(readCells(cells, DATE, { timeZone: "America/New_York" })).toEqual(dates);
  });

  it("converts midnights too once the column holds another time", () => {
    const cells = ["2016-07-05T00:00:00Z", "2016-07-05T00:00:01Z", "2016-07-05T09:00"];
    expect(readCells(cells, DATE, { timeZone: "America/New_York" })).toEqual([
      "2016-07-04",
      "2016-07-04",
      "2016-07-05",
    ]);
  });

  it.each([
    [["2016-07-05T00:00:00Z", "2016-07-04T22:00:00Z"]],
    [["2016-07-05T00:00:00Z", "2016-07-05T09:00"]],
    [["2016-07-05T00:00:00.0001Z", "2016-07-05"]],
  ])("asks for the time zone where %j are not all midnight", (cells) => {
    expect(() => settleCells(cells, DATE)).toThrowError(
      expect.objectContaining({ kind: "input", code: "missing-time-zone", hint: "--time-zone Europe/Paris" }),
    );
  });

  it("stops at a time zone that does not exist", () => {
    expect(() => readCell("2016-07-05", DATE, { timeZone: "Europe/Pariss" })).toThrowError(
      expect.objectContaining({ kind: "usage", code: "unknown-time-zone" }),
    );
  });
});
