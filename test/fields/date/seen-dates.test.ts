import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DateEvidence } from "../../../src/fields/date/date-evidence.ts";
import { DATE_FORMS, dateFormOf, SeenDates } from "../../../src/fields/date/seen-dates.ts";

const formOf = (text: string): number => dateFormOf(Buffer.from(`x${text}x`), 1, 1 + Buffer.byteLength(text));

describe("the form of a date", () => {
  it.each([
    ["26/03/2024", DATE_FORMS.alone],
    ["26/03/2024 00:00:00", DATE_FORMS.atMidnight],
    ["2024-03-26T00:00:00", DATE_FORMS.atMidnight],
    ["2024-03-26T00:00:01", DATE_FORMS.timed],
    ["2024-03-26 23:59:59", DATE_FORMS.timed],
    ["2024-03-26T24:00:00", DATE_FORMS.other],
    ["2024-03-26T23:60:00", DATE_FORMS.other],
    ["2024-03-26T23:59:60", DATE_FORMS.other],
    ["2024-03-26T23:59", DATE_FORMS.other],
    ["2024-03-26T23.59.00", DATE_FORMS.other],
    ["2024-03-26t23:59:00", DATE_FORMS.other],
    ["2024-03-26T2 :59:00", DATE_FORMS.other],
    ["2024-03-26T23:59:00Z", DATE_FORMS.other],
    ["2024-03-26,23:59:00", DATE_FORMS.other],
    ["", DATE_FORMS.other],
  ])("of %j is %i", (text, form) => {
    expect(formOf(text)).toBe(form);
  });
});

const cell = fc
  .tuple(
    fc.constantFrom("26/03/2024", "2024-03-26", "05/07/2016", "31/02/2024", "07/05/2016", "0000-00-00"),
    fc.constantFrom("", " ", "T"),
    fc.constantFrom("00:00:00", "08:30:00", "23:59:59", "24:00:00"),
  )
  .map(([day, letter, clock]) => (letter === "" ? day : `${day}${letter}${clock}`));

describe("dates that were seen", () => {
  it("are no new evidence", () => {
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 30 }), (cells) => {
        const [all, some] = [0, 1].map(() => new DateEvidence(undefined, undefined, undefined)) as [
          DateEvidence,
          DateEvidence,
        ];
        const seen = new SeenDates();
        const unread: string[] = [];
        for (const [at, text] of cells.entries()) {
          const line = at + 2;
          const isRead = all.add(text, line) === undefined;
          const bytes = Buffer.from(text);
          const form = dateFormOf(bytes, 0, bytes.length);
          const code = seen.codeOf(bytes, 0, form);
          if (code >= 0 && seen.has(code, form)) {
            if (!isRead) unread.push(text);
            continue;
          }
          if (some.add(text, line) === undefined && code >= 0) seen.add(code, form);
        }
        expect(unread).toEqual([]);
        expect(toldBy(some)).toEqual(toldBy(all));
      }),
      { numRuns: 1000 },
    );
  });
});

function toldBy(evidence: DateEvidence): object {
  const { orders, disproved, zoned, timed, range } = evidence;
  return {
    orders,
    disproved,
    zoned,
    timed,
    range,
    excluding: evidence.excluding(7),
    proof: evidence.proof(),
    disagreement: evidence.disagreement(),
  };
}
