import { describe, expect, it } from "vitest";
import { TextDamage, TypedLook } from "../../../src/fields/survey/column-evidence.ts";
import { type Cell, JsonNumber } from "../../../src/model/rows.ts";
import { parted } from "../../support/parted.ts";

describe("TypedLook", () => {
  it.each<[readonly Cell[], "date" | "amount" | undefined]>([
    [["05/07/2016", " 26/03/2024"], "date"],
    [["2016/07/05"], "date"],
    [["2016-07-05"], undefined],
    [["05/07/2016", "2016-07-05"], undefined],
    [["05/07/2016", "pending"], undefined],
    [["437,50", "595"], "amount"],
    [["1 437", "595"], "amount"],
    [["1,234"], "amount"],
    [["1,234.5"], "amount"],
    [["437.50", "595"], undefined],
    [["595", "12"], undefined],
    [["437,50", "n/a"], undefined],
    [["437,50", new JsonNumber("5")], undefined],
    [[true], undefined],
    [[], undefined],
  ])("takes %j for %s", (cells, verdict) => {
    const look = new TypedLook();
    for (const cell of cells) look.add(cell);
    expect(look.verdict()).toBe(verdict);
  });
});

function damageOf(cells: readonly Cell[]): readonly string[] {
  const damage = new TextDamage("libelle");
  for (const [at, cell] of cells.entries()) damage.add(cell, at + 2);
  return damage.notices().map(({ text }) => text);
}

describe("damage in text that is sent as it is", () => {
  it("is told with its lines, and with the options that settle it", () => {
    expect(damageOf(['="00123"', '="00124"'])).toEqual([
      '2 cells hold "="00123"" or the like (the first in line 2), sent as it is: spreadsheets keep numbers this way; --type libelle=digits sends the number inside, --type libelle=text! says that it is meant',
    ]);
  });

  it("is told by kind", () => {
    const notices = damageOf(["'3", "Ã©", '="1"', "'4", "'5"]);
    expect(notices.map((text) => text.slice(0, text.indexOf(", sent")))).toEqual([
      'line 3 holds "Ã©"',
      'line 4 holds "="1""',
      `3 cells hold "'3" or the like (the first in line 2)`,
    ]);
  });

  it("is told in any case, and text decoded twice also where signs of a spreadsheet are meant", () => {
    const damage = new TextDamage("libelle");
    for (const cell of ["'3", '="1"', "Ã©"]) damage.add(cell, 2);
    const shown = (areMeant: boolean) => damage.notices(areMeant).filter((note) => note.isAlwaysShown);
    expect(shown(false)).toHaveLength(3);
    expect(shown(true)).toEqual([expect.objectContaining({ text: expect.stringContaining("Ã©") })]);
  });

  it("names a line and the count, however many there are", () => {
    const [notice] = damageOf(Array.from({ length: 10_000 }, () => "'5"));
    expect(notice).toContain("10,000 cells");
    expect(notice).toContain("(the first in line 2)");
  });

  it("is not seen in other values", () => {
    const texts = parted`
      Écran||NULL|#REF!|5.5E+05|#12|#|# REF|N°5|Nan|Nat|NA|None|-|?|n/a|nulle|5E11|12E3|A5.5E+05
      =5|="1"&"2"|E+05|1.5|undefined behaviour
    `;
    for (const cell of [...texts, false, new JsonNumber("5.5E+05"), null, true])
      expect([cell, ...damageOf([cell])]).toEqual([cell]);
  });
});
