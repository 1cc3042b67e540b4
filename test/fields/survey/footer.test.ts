import { describe, expect, it } from "vitest";
import { chunksOf, csvReading, survey } from "./survey-support.ts";
import { makeRecords } from "../../support/make-records.ts";

const COLUMNS = ["cle", "libelle", "actual_billable_amount"];
const BODY = [
  ["A1", "Ecran", "100,10"],
  ["A2", "Clavier", "20,00"],
  ["A3", "", "3,20"],
];

async function surveyed(rows: readonly (readonly string[])[], size = 1000, options = {}) {
  const chunks = chunksOf(COLUMNS, rows, size);
  const found = survey(csvReading(COLUMNS), chunks, options);
  const { records, problems } = await makeRecords(found.plan, chunks);
  return { found, counts: found.counts, sent: records.map(({ line }) => line), problems };
}

describe("rows of totals at the end", () => {
  it.each([
    "Total",
    "TOTAL",
    "Total général :",
    "Totaux",
    "Sous-total",
    "Sous total HT",
    "Grand total",
    "Gesamtsumme",
    "Summe",
    "Totale",
    "Totaal",
    "Totais",
    "Suma",
  ])("are invalid where they begin with %s", async (label) => {
    for (const size of [1, 2, 3, 1000]) {
      const { found, sent, problems } = await surveyed([...BODY, ["", label, "99,00"]], size);
      expect(found.counts).toMatchObject({ rows: 4, updates: 3, creates: 0, invalid: 1 });
      expect(found.problems).toEqual(problems);
      expect(problems[0]).toMatchObject({ line: 5 });
      expect(problems[0]!.reason).toContain('"cle" is empty in it and in no row before');
      expect(problems[0]!.hint).toBe("--skip-footer 1 leaves it out, --keep-footer takes it as it is");
      expect(sent).toEqual([2, 3, 4]);
    }
  });

  it("are invalid where they hold the exact sum of an amount column", async () => {
    const { found } = await surveyed([...BODY, ["", "", "123,30"]]);
    expect(found.problems[0]?.reason).toContain("actual_billable_amount is the sum of all rows above");
    expect((await surveyed([...BODY, ["", "", "123,31"]])).counts.invalid).toBe(0);
  });

  it("are no updates where the word stands in the column of keys", async () => {
    const { found, sent } = await surveyed([...BODY.slice(0, 2), ["Total", "", "99,00"]]);
    expect(found.counts).toMatchObject({ rows: 3, updates: 2, creates: 0, invalid: 1 });
    expect(sent).toEqual([2, 3]);
  });

  it("are invalid together, subtotal and total", async () => {
    const { found } = await surveyed([...BODY, ["", "Sous-total", "1,00"], ["", "Total", "2,00"]]);
    expect(found.problems.map(({ line }) => line)).toEqual([5, 6]);
    expect(found.problems[0]?.hint).toContain("--skip-footer 2");
  });

  it("with --keep-footer are rows like the others", async () => {
    const { found, sent } = await surveyed([...BODY, ["", "Total", "123,30"]], 1000, { keepsFooter: true });
    expect(found.counts).toMatchObject({ creates: 1, invalid: 0 });
    expect(sent).toEqual([2, 3, 4, 5]);
  });

  it.each([
    ["fills every column that the others fill", ["A4", "Total", "123,30"]],
    ["begins with another word", ["", "Totalisateur", "9,00"]],
    ["is blank only where others are", ["A4", "", "9,00"]],
  ])("are not found in a last row that %s", async (_, last) => {
    expect((await surveyed([...BODY, last])).counts.invalid).toBe(0);
  });

  it("are not found in a create with the amount of the only other row", async () => {
    expect(
      (
        await surveyed([
          ["A1", "Ecran", "5,00"],
          ["", "Souris", "5,00"],
        ])
      ).counts.invalid,
    ).toBe(0);
    expect(
      (
        await surveyed([
          ["A1", "Ecran", "5,00"],
          ["", "", "5,00"],
        ])
      ).counts.invalid,
    ).toBe(1);
  });
});
