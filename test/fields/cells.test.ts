import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanAmount } from "../../src/fields/amount/amount.ts";
import { scanDate, ScannedDate } from "../../src/fields/date/date.ts";
import { keyReader, readDigits } from "../../src/fields/key.ts";
import { isPlainText } from "../../src/fields/plain-texts.ts";
import { GROUPING_SPACE, isSpace, SPACE, trimSpaces } from "../../src/fields/spreadsheet-text.ts";
import { isNoValue } from "../../src/fields/type-text.ts";
import { isPlainKey } from "../../src/kernel/plain-rows.ts";
import { type Cell, JsonNumber, NestedValue } from "../../src/model/rows.ts";
import { draws } from "../support/draws.ts";
import { parted } from "../support/parted.ts";

/** The reader without literals. */
const readKey = keyReader();

describe("plain texts", () => {
  it("begin with a word that begins no date and no amount", () => {
    const plain = parted`CMD-000001|Été 2016|Nîmes 1|N 2|Nantes 44|Société n°1|maison 5|EU 5|Mardi 5|le Havre 76`;
    const others = parted`
      12 rue|-5| x5|\u00a0x5|œuvre 5|× 5|÷5|=A1|#REF5!|€ 5|EUR 5|kr5
      US$ 5|mar 5 2016|juillet 5, 2016|Zł5|n° 5
    `;
    expect([...plain, ...others].filter((text) => isPlainText(text))).toEqual(plain);
  });

  it("are neither dates nor amounts nor digits, whatever they begin with", () => {
    const words = parted`
      CMD|été|Été|le|Le|am|mardi|juillet|JUL|mai|mar|Marc|segunda
      EUR|Eur|USD|US|A|kr|Fr|zł|×|the|x|de
    `;
    const part = fc.oneof(
      fc.constantFrom(...words),
      fc.constantFrom("5", "12", "2016", "05/07/2016", "1 234,50", "12.5", "16", "0"),
    );
    const sign = fc.constantFrom(" ", "-", "", "$", ".", ", ", "\u00a0", "°", "_", "-feira ", "/");
    const text = fc
      .array(fc.tuple(part, sign), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.flat().slice(0, -1).join(""));
    let plain = 0;
    fc.assert(
      fc.property(text, (said) => {
        if (!/\d/.test(said) || !isPlainText(said)) return;
        plain += 1;
        expect(scanAmount(said)).toBeTypeOf("string");
        expect(scanDate(said)).not.toBeInstanceOf(ScannedDate);
        expect(readDigits(said)).toBeTypeOf("object");
      }),
      draws(1000),
    );
    expect(plain).toBeGreaterThan(12);
  });
});

describe("readDigits", () => {
  it.each([
    ['=" 00123 "', "00123"],
    ["551 036", "551036"],
    ["1\u202f234\u202f567", "1234567"],
    ["551 035,00", "551035"],
    ["9".repeat(40), "9".repeat(40)],
    [new JsonNumber("551035"), "551035"],
    [new JsonNumber("5.51035e5"), "551035"],
    [new JsonNumber("551035.000"), "551035"],
    [new JsonNumber("12345678901234567890"), "12345678901234567890"],
  ])("reads %j as %s", (cell, digits) => {
    expect(readDigits(cell)).toBe(digits);
  });

  it.each<[string, readonly Cell[]]>([
    [
      "it holds more than digits",
      parted`16000162 16000163|551  036|1 234\u00a0567|1234 567|12 34|.00|C551035`,
    ],
    ["it holds more than digits", parted`="C12"|="|'|٥٥١`],
    ["a spreadsheet has cut it to an exponent, its last digits are lost", ["5.51035E+05", "551e+3"]],
    ["it holds more than digits", ["551,000", "551.5", "551e3", "-551035", new JsonNumber("-5")]],
    ["it is an error of a spreadsheet formula", ["#N/A"]],
    ["it is not a whole number", [new JsonNumber("1.5")]],
    ["its exponent is too large", [new JsonNumber("1e999")]],
    ["false is not a number", [false]],
    ["the object has no value of its own", [new NestedValue("object")]],
  ])("refuses because %s: %j", (reason, cells) => {
    for (const cell of cells) expect(readDigits(cell)).toMatchObject({ reason });
  });

  it("keeps the digits of a number in every form that can be undone", () => {
    const forms = fc.constantFrom<(digits: string) => string>(
      (digits) => digits,
      (digits) => `  ${digits}\u00a0`,
      (digits) => `="${digits}"`,
      (digits) => `'${digits}`,
      (digits) => `${digits}.0`,
      (digits) => `${digits},00`,
      (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u00a0"),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,20}$/), forms, (digits, form) => {
        expect(readDigits(form(digits))).toBe(digits);
      }),
    );
  });
});

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
    // Also as spreadsheets keep it.
    expect([keyReader(["NA"])('="NA"'), keyReader(['="NA"'])('="NA"')]).toEqual(["NA", '="NA"']);
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

const CODES = Array.from({ length: 0x10000 }, (_, code) => code);

describe("spaces", () => {
  it("knows every character that JavaScript trims", () => {
    const trimmed = CODES.filter((code) => String.fromCharCode(code).trim() === "");
    expect(trimmed.filter((code) => !isSpace(code))).toEqual([]);
  });

  it("are invisible signs too, and no others", () => {
    for (const mark of ["\u200b", "\u200e", "\u200f", "\u2060"])
      expect(trimSpaces(`${mark}5${mark}`)).toBe("5");
    for (const mark of ["a", "0", "\u00b7", "\u2212", "\u00ad", "\u0000"])
      expect(isSpace(mark.charCodeAt(0))).toBe(false);
  });

  it.each([
    ["group digits are four", GROUPING_SPACE, [0x20, 0xa0, 0x2009, 0x202f]],
    ["are the same in a regular expression", SPACE, CODES.filter(isSpace)],
  ])("that %s", (_, form, codes) => {
    const found = new RegExp(form);
    expect(CODES.filter((code) => found.test(String.fromCharCode(code)))).toEqual(codes);
  });
});
