import { describe, expect, it, vi } from "vitest";
import { RowExaminer } from "../../../src/fields/record/examine-row.ts";
import { fieldOptions } from "../survey/survey-support.ts";
import { surveyed, TYPES } from "./bulk-support.ts";

const DECLARED = ["libelle", "note", "quantite"];

/** Sixty records with a note each, of which the one in the middle is odd. */
function recordsWith(noteAt: (at: number) => string, odd: Readonly<Record<string, string>>): string {
  const records = Array.from({ length: 60 }, (_, at) => ({
    cle: `"K${1000 + at}"`,
    num_commande: `"${551_000 + at}"`,
    date_billed: '"25/07/2016"',
    actual_billable_amount: `"${10 + at},50"`,
    libelle: `"${["a 1", "b 2", "c 3"][at % 3]!}"`,
    note: noteAt(at),
    quantite: "3",
    ...(at === 30 ? odd : {}),
  }));
  const texts = records.map((record) => Object.entries(record).map(([name, value]) => `"${name}":${value}`));
  return `[${texts.map((members) => `{${members.join(",")}}`).join(",\n")}]`;
}

describe("among records of JSON", () => {
  it.each([
    ["true and false", "true", "false"],
    ["nothing but false", "false", "false"],
    ["false and texts", "false", '"x"'],
    ["true and texts", "true", '"false"'],
    ["null and true", "null", "true"],
  ])("%s are surveyed and written as one after the other are", async (_, first, second) => {
    for (const odd of [{}, { libelle: "true" }, { libelle: '"NaN"' }, { note: "null" }, { note: "false" }]) {
      const text = recordsWith((at) => (at % 3 === 0 ? first : second), odd);
      const options = fieldOptions({ types: new Map(TYPES), otherColumns: "drop" });
      const inBulk = await surveyed(text, { declared: DECLARED }, options, 0, 0);
      expect(inBulk).toEqual(await surveyed(text, { declared: DECLARED }, options, 0, Infinity));
    }
  });

  it("true, false and null need no closer look", async () => {
    const records = Array.from(
      { length: 2000 },
      (_, at) =>
        `{"cle":"K${1000 + at}","num_commande":"${551_000 + at}","note":${at % 3 === 0},"libelle":${at % 2 === 0 ? null : '"livré"'},"quantite":${at % 7}}`,
    );
    const examined = vi.spyOn(RowExaminer.prototype, "examine");
    const options = fieldOptions({ types: new Map(TYPES), otherColumns: "drop" });
    const told = await surveyed(`[${records.join(",")}]`, { declared: DECLARED }, options, 0, 0);
    expect(told).toMatchObject({ counts: { updates: 2000 } });
    expect(examined.mock.calls.length).toBeLessThan(30);
    examined.mockRestore();
  });
});
