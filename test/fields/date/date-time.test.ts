import { describe, expect, it } from "vitest";
import { DATE, readCell, readCells, settleCells } from "../read-as.ts";
import { failureOf } from "../survey/survey-support.ts";
import { atNight } from "../../support/draws.ts";

describe("a time after a date", () => {
  it.each([
    "2016-07-05T14:30|2016-07-05t14:30:00|2016-07-05T14:30:00.123456789|2016-07-05T14:30:00,5",
    "2016-07-05 14:30:00.000|2016-07-05 9:05|July 5, 2016 23:59:60",
    "5 juillet 2016 14h30|5 juillet 2016, 14 h 30|5 juillet 2016 14h",
    "Jul 5, 2016, 2:30 PM|Jul 5, 2016, 2:30\u202fPM|Jul 5 2016 12:00 a.m.",
  ])("keeps the date: %s", (cells) => {
    for (const cell of cells.split("|")) expect([cell, readCell(cell, DATE)]).toEqual([cell, "2016-07-05"]);
  });

  it.each([
    ["what follows the date is not a time", " 14h3| à 14h30| de 14h30|T14| 143000|T143000"],
    ["what follows the date is not a time", " 14:30 CET| 14:30 Europe/Paris| 14:30 xx yy"],
    ["what follows the date is not a time", "T14:30:00+2|T14:30:00+020"],
    ["its time does not exist", " 25h|T24:00|T14:60| 25:00| 14:30:61| 13:05 PM"],
    ["its time does not exist", "T14:30:00+25:00|T14:30:00+02:60"],
  ])("is refused because %s: %s", (reason, times) => {
    for (const time of times.split("|"))
      expect([time, readCell(`2016-07-05${time}`, DATE)]).toEqual([time, `refused: ${reason}`]);
  });
});

describe("a date-time with a zone", () => {
  const NEW_YORK = { timeZone: "America/New_York" };

  it.each([
    ["2016-07-05", "2016-07-04T22:00:00Z|2016-07-04 20:00:00 -0400|2016-07-04T18:00:00-04"],
    ["2016-07-05", "5 Jul 2016 00:10:00 GMT+0200|Jul 4, 2016 10:30 PM GMT"],
    ["2016-07-04", "2016-07-04T21:59:59Z|2016-07-05T00:30:00+05:30"],
    ["2016-01-04", "2016-01-04T22:59:59.999Z"],
    ["2016-01-05", "2016-01-04T23:00:00 UTC"],
    ["2016-10-30", "2016-10-29T22:30:00Z"],
    ["2016-03-28", "2016-03-27T22:30:00Z"],
  ])("is %s in Paris: %s", (date, cells) => {
    for (const cell of cells.split("|"))
      expect([cell, readCell(cell, DATE, { timeZone: "Europe/Paris" })]).toEqual([cell, date]);
  });

  it("agrees with Intl around every change of the clock", () => {
    const wall = new Intl.DateTimeFormat("sv-SE", { ...NEW_YORK, dateStyle: "short" });
    // By day the weeks of two changes.
    const [days, from] = atNight ? [2 * 366, Date.UTC(2015, 0, 1)] : [250, Date.UTC(2015, 2, 5)];
    const hours = Array.from({ length: days * 24 }, (_, hour) => new Date(from + (hour + 0.5) * 3_600_000));
    const cells = hours.map((instant) => instant.toISOString());
    expect(readCells(cells, DATE, NEW_YORK)).toEqual(hours.map((at) => wall.format(at)));
  });

  it("has the date of its minute where midnight is within an hour of UTC", () => {
    const cells = ["2016-07-05T18:14:59Z", "2016-07-05T18:15:00Z", "2016-07-05T18:14:00Z"];
    const dates = ["2016-07-05", "2016-07-06", "2016-07-05"];
    expect(readCells(cells, DATE, { timeZone: "Asia/Kathmandu" })).toEqual(dates);
  });

  it("stands as written where every value is midnight, with or without a time zone", () => {
    const cells = ["2016-07-05T00:00:00+02:00", "2016-01-05T00:00:00.000+01:00", "2016-03-01"];
    const dates = ["2016-07-05", "2016-01-05", "2016-03-01"];
    expect(readCells(cells, DATE)).toEqual(dates);
    expect(readCells(cells, DATE, NEW_YORK)).toEqual(dates);
  });

  it("converts midnights too once the column holds another time", () => {
    const cells = ["2016-07-05T00:00:00Z", "2016-07-05T00:00:01Z", "2016-07-05T09:00"];
    expect(readCells(cells, DATE, NEW_YORK)).toEqual(["2016-07-04", "2016-07-04", "2016-07-05"]);
  });

  it.each([
    "2016-07-05T00:00:00Z|2016-07-04T22:00:00Z",
    "2016-07-05T00:00:00Z|2016-07-05T09:00",
    "2016-07-05T00:00:00.0001Z|2016-07-05",
  ])("asks for the time zone where not all are midnight: %s", (cells) => {
    const asked = { kind: "input", code: "missing-time-zone", hint: "--time-zone Europe/Paris" };
    expect(failureOf(() => settleCells(cells.split("|"), DATE))).toMatchObject(asked);
  });
});
