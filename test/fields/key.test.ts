import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainKey, keyReader, readKey } from "../../src/fields/key.ts";
import { isNoValue } from "../../src/fields/type-text.ts";
import { JsonNumber, NestedValue } from "../../src/model/rows.ts";

describe("readKey", () => {
  it.each([
    ["C0000001", "C0000001"],
    [" C 1\u00a0", "C 1"],
    ['="00123"', "00123"],
    ["00123", "00123"],
    ["5E11", "5E11"],
    ["#12", "#12"],
    ["#", "#"],
    ["NULLE", "NULLE"],
    ["NA1", "NA1"],
    ["-1", "-1"],
    ["N", "N"],
    ["NC", "NC"],
    ["=5", "=5"],
    ["'00123", "00123"],
    ["'C-12", "C-12"],
    ["'551 036", "551 036"],
    ["'-12", "-12"],
    ['\'="A12"', "A12"],
    ['="\'00123"', "00123"],
    ["'ABC", "'ABC"],
    ["'t Hof 5", "'t Hof 5"],
    ["'47 Beanie", "'47 Beanie"],
    ['="A 12"', "A 12"],
    [new JsonNumber("12345678901234567890"), "12345678901234567890"],
    [new JsonNumber("1e2"), "100"],
    [new JsonNumber("7.0"), "7"],
  ])("reads %j as %s", (cell, key) => {
    expect(readKey(cell)).toBe(key);
  });

  it.each(["", "  ", "\u00a0\u202f", '=""', '=" "', null, undefined])("takes %j for blank", (cell) => {
    expect(readKey(cell)).toBeUndefined();
  });

  it.each([
    "NULL",
    "null",
    " NULL ",
    "\\N",
    "N/A",
    "#N/A",
    "#REF!",
    "######",
    "NaN",
    "undefined",
    "None",
    '="NULL"',
    "-",
    "--",
    " - ",
    "\u2013",
    "\u2014",
    "?",
    "??",
    "...",
    "/",
    "*",
    "NA",
    "na",
    "n.a.",
    "n.d.",
    "<NA>",
    "<null>",
    "[NULL]",
    "(null)",
    "NaT",
    "nil",
    "(vide)",
    "[object Object]",
    "(Vide)",
    "(blank)",
    "(Leer)",
    "(en blanco)",
    "(vac\u00edo)",
    "(vuoto)",
    "n\u00e9ant",
    "N\u00c9ANT",
    "ne\u0301ant",
    "neant",
    "aucun",
    "'",
    "'NULL",
    "'-",
    "'12'",
    "'A 12'",
    '="1"&"2"',
    "'5.5E+05",
    "-".repeat(40),
    "5.5E+05",
    "5,5E+05",
    "5E+05",
    "5.5E11",
    "5.5e-7",
    new JsonNumber("1.5"),
    new JsonNumber("-0"),
    new JsonNumber("1e999"),
    true,
    new NestedValue("object"),
  ])("refuses %j", (cell) => {
    expect(readKey(cell)).toHaveProperty("reason");
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
  it.each(["NA", "-", "#N/A", "5.5E+05", "'12'", "'00123", "(vide)", "a,b"])(
    "takes %s for a key where that is said",
    (word) => {
      expect(keyReader([word])(` ${word} `)).toBe(word);
    },
  );

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

describe("isNoValue", () => {
  it.each(["N.A", "N.D", "n.c", "missing", "TBD", "(vides)", "XXX", "xxxx", "à compléter", "<à définir>"])(
    "is true for %j",
    (text) => {
      expect(isNoValue(text)).toBe(true);
    },
  );

  // Initials and codes of countries and states are keys.
  it.each(["-12", "0", "A", "NO", "ND", "NC", "XX", "n", "none1", "#", "", "nature", "national", "vider"])(
    "is false for %j",
    (text) => {
      expect(isNoValue(text)).toBe(false);
    },
  );
});
