import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainKey, keyReader, readKey } from "../../src/fields/key.ts";
import { isNoValue } from "../../src/fields/type-text.ts";
import { JsonNumber, NestedValue } from "../../src/model/rows.ts";
import { parted } from "../support/parted.ts";

const REFUSED = expect.objectContaining({ reason: expect.any(String) }) as unknown;

describe("readKey", () => {
  it("reads what programs write as keys", () => {
    for (const key of parted`C0000001|00123|5E11|#12|#|NULLE|NA1|-1|N|NC|=5|'ABC|'t Hof 5|'47 Beanie`)
      expect(readKey(key)).toBe(key);
  });

  it.each([
    [" C 1\u00a0", "C 1"],
    ['="00123"', "00123"],
    ["'00123", "00123"],
    ["'C-12", "C-12"],
    ["'551 036", "551 036"],
    ["'-12", "-12"],
    ['\'="A12"', "A12"],
    ['="\'00123"', "00123"],
    ['="A 12"', "A 12"],
    [new JsonNumber("12345678901234567890"), "12345678901234567890"],
    [new JsonNumber("1e2"), "100"],
    [new JsonNumber("7.0"), "7"],
  ])("reads %j as %s", (cell, key) => {
    expect(readKey(cell)).toBe(key);
  });

  it("takes a cell without a character for blank", () => {
    for (const cell of ["", "  ", "\u00a0\u202f", '=""', '=" "', null, undefined])
      expect(readKey(cell)).toBeUndefined();
  });

  it.each([
    "NULL|null| NULL |\\N|N/A|#N/A|#REF!|######|NaN|undefined|None|NA|na|n.a.|n.d.|<NA>|<null>|[NULL]|(null)",
    "-|--| - |\u2013|\u2014|?|??|...|/|*|'|'NULL|'-|'12'|'A 12'|----------------------------------------",
    "NaT|nil|(vide)|(Vide)|(blank)|(Leer)|(en blanco)|(vac\u00edo)|(vuoto)|n\u00e9ant|N\u00c9ANT|ne\u0301ant|neant|aucun",
    `[object Object]|="NULL"|="1"&"2"|'5.5E+05|5.5E+05|5,5E+05|5E+05|5.5E11|5.5e-7`,
  ])("refuses what means none, or was damaged: %s", (cells) => {
    for (const cell of cells.split("|")) expect([cell, readKey(cell)]).toEqual([cell, REFUSED]);
  });

  it("refuses values of JSON that are no key", () => {
    const numbers = ["1.5", "-0", "1e999"].map((source) => new JsonNumber(source));
    for (const cell of [...numbers, true, new NestedValue("object")]) expect(readKey(cell)).toEqual(REFUSED);
  });
});

describe("isPlainKey", () => {
  it("is true only for keys that are taken as they are", () => {
    const cell = fc.string({ unit: fc.constantFrom(..."0157.,eEA+-'=#\"\\ é".split("")), maxLength: 8 });
    fc.assert(
      fc.property(cell, (text) => {
        const bytes = Buffer.from(text);
        fc.pre(isPlainKey(bytes, 0, bytes.length));
        expect(readKey(text)).toBe(text);
      }),
      { numRuns: 5000, examples: [["5.5E11"], ["+5e-7"], ["'00123"], ["#1!"]] },
    );
  });
});

describe("keyReader", () => {
  it("takes a word for a key where that is said", () => {
    for (const word of parted`NA|-|#N/A|5.5E+05|'12'|'00123|(vide)|a,b`)
      expect(keyReader([word])(` ${word} `)).toBe(word);
  });

  it('takes a literal inside ="..." too, and no other word', () => {
    const read = keyReader(["NA", "00"]);
    expect(read('="NA"')).toBe("NA");
    expect(read("na")).toHaveProperty("reason");
    expect(read("NULL")).toHaveProperty("reason");
    expect(read("")).toBeUndefined();
    expect(read("A1")).toBe("A1");
  });

  it.each([
    ["NA", "--null NA reads it as a blank cell, --key-literal NA as a key"],
    ["-", "--null - reads it as a blank cell, --key-literal - as a key"],
    ["(vide)", '--null "(vide)" reads it as a blank cell, --key-literal "(vide)" as a key'],
    ["?,", String.raw`--null '?\,' reads it as a blank cell, --key-literal '?\,' as a key`],
    ["'12'", `--quote "'" reads them as quotes, --key-literal "'12'" as part of the key`],
  ])("names the options that settle %s", (cell, hint) => {
    expect(readKey(cell)).toMatchObject({ hint });
  });
});

it("a word for no value is one that says so; initials and codes of countries and states are keys", () => {
  const words = parted`N.A|N.D|n.c|missing|TBD|(vides)|XXX|xxxx|à compléter|<à définir>`;
  const keys = parted`-12|0|A|NO|ND|NC|XX|n|none1|#||nature|national|vider`;
  expect([...words, ...keys].filter(isNoValue)).toEqual(words);
});
