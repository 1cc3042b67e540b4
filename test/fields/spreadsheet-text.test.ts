import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undoSpreadsheetText } from "../../src/fields/spreadsheet-text.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { sourceOf } from "../read/chunks.ts";
import { draws } from "../support/draws.ts";
import { prepareWhole } from "../support/prepare-whole.ts";
import { AMOUNT, DATE, readCell, readCells, readOrStop } from "./read-as.ts";
import { fieldOptions } from "./survey/survey-support.ts";

describe("undoSpreadsheetText", () => {
  it.each([
    ['="00123"', "00123"],
    ['=" 00123 "', "00123"],
    ["'00123", "00123"],
    ["' 00123", "00123"],
    ['\'="00123"', "00123"],
    ['="\'t Hof"', "'t Hof"],
    ['="5"" pipe"', '5" pipe'],
    ['=""', ""],
  ])("takes the signs of %j away: %j", (text, bare) => {
    expect(undoSpreadsheetText(text)).toBe(bare);
  });

  it("leaves other texts as they are", () => {
    for (const text of ["00123", "=5", '="', '="12', '="a"&"b"', '="1";', '=T("1")', "", "12'50"])
      expect(undoSpreadsheetText(text)).toBe(text);
  });
});

describe("signs that keep a spreadsheet from reading a number", () => {
  it.each([
    [AMOUNT, '="12,50"', "12.50"],
    [AMOUNT, "'12,50", "12.50"],
    [AMOUNT, '="1 250,00"', "1250.00"],
    [AMOUNT, "'-5", "-5"],
    [AMOUNT, "'00123", "123"],
    [AMOUNT, '="12 €"', "12"],
    [DATE, '="05/05/2016"', "2016-05-05"],
    [DATE, "'2016-07-05", "2016-07-05"],
    [DATE, '="5 juillet 2016"', "2016-07-05"],
    [DATE, "'20160705", "2016-07-05"],
  ])("are undone in a column of %j: %s", (type, cell, value) => {
    expect(readCell(cell, type)).toBe(value);
  });

  it("leave what is inside as open as it is without them", () => {
    expect(readOrStop('="05/07/2016"', DATE)).toBe("stopped");
    expect(readCells(['="05/07/2016"', "26/07/2016"], DATE)).toEqual(["2016-07-05", "2016-07-26"]);
    expect(readOrStop('="1,234"', AMOUNT)).toBe("stopped");
  });
});

const OPTIONS = fieldOptions({ otherColumns: "send", pins: { decimal: ",", dateFormat: "DD/MM/YYYY" } });
const HALF_PAIR = /[\ud800-\udfff]/;

const value = fc.oneof(
  fc.constantFrom(
    ...String.raw`05/07/2016|31/02/2024|1 437,50|-0,50|12/03/2024|Nîmes|Écran 24" noir|rue\nord|null|NaN| |#REF!|1,5E+05|cafÃ©|€ 5,00|`.split(
      "|",
    ),
    "a\r\nb",
    "\u0000",
    "\t",
    "x".repeat(5_000),
    '"'.repeat(3_000),
  ),
  fc.string({ unit: fc.constantFrom(...'aK05é€/\\" \n,.-'.split("")), maxLength: 8 }),
  fc.string({ unit: "binary-ascii", maxLength: 3 }),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
const mostly = (...usual: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...usual) }, value);
const rows = fc.array(
  fc.record({
    cle: mostly("K1", "K/2", "K3", ""),
    date_billed: mostly("05/07/2016", "26/03/2024", ""),
    paid_amount: mostly("1 437,50", "-0,50", "12", ""),
    note: value,
    ville: mostly("Nîmes", 'Café "du port"', "L'Haÿ", "a/b"),
  }),
  { minLength: 1, maxLength: 8 },
);
type Rows = readonly Readonly<Record<string, string>>[];
/** How each character is written: as it is where it may be, by its short escape, or as a number. */
const style = fc.func(fc.constantFrom("plain", "short", "number"));

function writeString(text: string, styleOf: (at: number) => string): string {
  const written = text.split("").map((unit, at) => {
    const shown = JSON.stringify(unit).slice(1, -1);
    const mustEscape = shown !== unit;
    const how = styleOf(at);
    // Half of a pair stays beside the other half.
    if (HALF_PAIR.test(unit)) return unit;
    if (how === "number") return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    if (unit === "/" && how === "short") return "\\/";
    return mustEscape ? shown : unit;
  });
  return `"${written.join("")}"`;
}

function writeJson(given: Rows, styleOf: (at: number) => string): string {
  const objects = given.map((row) => {
    const members = Object.entries(row).map(([name, text]) => `"${name}":${writeString(text, styleOf)}`);
    return `{${members.join(",")}}`;
  });
  return `[${objects.join(",\n")}]`;
}

/** The outcome for rows in JSON, whose characters are written as they are if no style is given. */
async function ofJson(given: Rows, styleOf: (at: number) => string = () => "plain"): Promise<unknown> {
  const outcome = await prepareWhole(sourceOf(writeJson(given, styleOf)), OPTIONS, { format: "json" });
  if (outcome.kind === "refused") return outcome.error.message;
  const { found, records, skipped, rejected } = outcome;
  const { counts, columns, notices, pins, problems } = found;
  const told = { counts, columns, notices, pins, problems };
  return { told, records: records.map(recordJson), skipped, rejected };
}

function row(cle: string, paid_amount: string, note: string, ville = ""): Readonly<Record<string, string>> {
  return { cle, date_billed: "", paid_amount, note, ville };
}

describe("escapes", () => {
  it("of JSON change nothing", async () => {
    await fc.assert(
      fc.asyncProperty(rows, style, async (given, styleOf) => {
        expect(await ofJson(given, styleOf)).toEqual(await ofJson(given));
      }),
      draws(60),
    );
  });

  it.each([
    ["a row that gives nothing", [row("", "", " ")], { rejected: 0, skipped: 1 }],
    ["a sum that holds little else", [row(" ", "131,40", " ", " ")], { rejected: 1, skipped: 0 }],
  ])("of blanks leave %s what it is", async (_, last, expected) => {
    const given = [row("K1", "100,10", "x"), row("K2", "31,30", "y"), ...last];
    const escaped = await ofJson(given, () => "number");
    expect(escaped).toEqual(await ofJson(given));
    expect(escaped).toMatchObject(expected);
  });
});
