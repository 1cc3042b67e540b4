import { describe, expect, it } from "vitest";
import { collectEvidence } from "../../../src/fields/survey/column-evidence.ts";
import { type Cell, JsonNumber } from "../../../src/model/rows.ts";
import { parted } from "../../support/parted.ts";
import { TODAY } from "../read-as.ts";

/** The notices on a column of text, the first cell of which is in line 2; `isCertain`: its type is `text!`. */
function noticesOn(cells: readonly Cell[], isCertain = false): readonly string[] {
  const type = { kind: "text", ...(isCertain && { isCertain }) } as const;
  const evidence = collectEvidence(type, {}, "libelle", TODAY);
  for (const [at, cell] of cells.entries()) evidence.take(cell, at + 2);
  const notices = evidence.notices!('column "libelle"');
  expect(notices.every(({ isAlwaysShown }) => isAlwaysShown)).toBe(true);
  return notices.map(({ text }) => text);
}

describe("text whose values are all of another type", () => {
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
  ])("is noted: %j are of type %s", (cells, kind) => {
    const text = `all values of libelle read as ${kind}s and are sent as text, unchanged: --type libelle=${kind} converts them, --type libelle=text! says that they are meant so`;
    expect(noticesOn(cells)).toEqual(kind === undefined ? [] : [text]);
    expect(noticesOn(cells, true)).toEqual([]);
  });
});

describe("damage in text that is sent as it is", () => {
  it("is noted once for each kind, with the count, the first cell and the options that settle it", () => {
    expect(noticesOn(["'3", "Ã©", '="1"', ...Array.from({ length: 1000 }, () => "'4")])).toEqual([
      `column "libelle": 1,001 cells hold "'3" or the like (the first in line 2), sent as it is: a spreadsheet puts the apostrophe before a number to keep it as text; export the column without it, or --type libelle=text! says that it is meant`,
      'column "libelle": line 3 holds "Ã©", sent as it is: it looks like text decoded twice; export the file again, with one encoding',
      'column "libelle": line 4 holds "="1"", sent as it is: spreadsheets keep numbers this way; --type libelle=digits sends the number inside, --type libelle=text! says that it is meant',
    ]);
  });

  it("is noted of text decoded twice also where signs of a spreadsheet are meant", () => {
    expect(noticesOn(["'3", '="1"', "Ã©"], true)).toEqual([expect.stringContaining("Ã©")]);
  });

  it("is not seen in other values", () => {
    const texts = parted`
      Écran||NULL|#REF!|5.5E+05|#12|#|# REF|N°5|Nan|Nat|NA|None|-|?|n/a|nulle|5E11|12E3|A5.5E+05
      =5|="1"&"2"|E+05|1.5|undefined behaviour
    `;
    for (const cell of [...texts, false, new JsonNumber("5.5E+05"), null, true])
      expect([cell, ...noticesOn([cell])]).toEqual([cell]);
  });
});
