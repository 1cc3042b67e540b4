import { describe, expect, it } from "vitest";
import {
  parseDecimalMark,
  parseList,
  parseMap,
  parseNulls,
  parseSet,
  parseTimeZone,
  parseTypes,
} from "../../src/fields/field-rule-texts.ts";
import { failureOf } from "./survey/survey-support.ts";
import { parseDateFormat } from "../../src/fields/type-text.ts";

const usage = (code: string): object =>
  expect.objectContaining({ name: "RecPushError", kind: "usage", code });

/** Why a parser refuses texts; a plus joins those that are given together. */
function whyRefused(parse: (texts: readonly string[]) => unknown, texts: string): readonly string[] {
  const codes = texts.split(" | ").map((given) => {
    const error = failureOf(() => parse(given.split(" + ")));
    return error.kind === "usage" ? error.code : `${given}: ${error.kind}`;
  });
  return [...new Set(codes)];
}

describe("parseMap", () => {
  it.each([
    ["Order No=num_commande", "Order No", "num_commande"],
    ["3=cle", "3", "cle"],
    ["a=b=c", "a=b", "c"],
    [" Clef = cle ", "Clef", "cle"],
  ])("reads %j", (text, column, field) => {
    expect(parseMap([text], "--map")).toEqual([{ column, field }]);
  });
  it("refuses what is no column and field", () => {
    const codes = whyRefused((texts) => parseMap(texts, "--map"), "Order No | =cle | a= | a=b c | a=1b");
    expect(codes).toEqual(["bad-option-value"]);
  });
});

describe("parseTypes", () => {
  it.each([
    ["a=text", { kind: "text" }],
    ["a=digits", { kind: "digits" }],
    ["a=amount", { kind: "amount" }],
    ["a=amount:,", { kind: "amount", decimal: "," }],
    ["a=date", { kind: "date" }],
    ["a=date:dd/mm/yyyy", { kind: "date", format: "DD/MM/YYYY" }],
    ["a=date:ddmmyyyy", { kind: "date", format: "DDMMYYYY" }],
    ["a=date:epoch-ms", { kind: "date", format: "epoch-ms" }],
    ["a=date + a=date:DD/MM/YYYY", { kind: "date", format: "DD/MM/YYYY" }],
    ["a=date:DD/MM/YYYY + a=date", { kind: "date", format: "DD/MM/YYYY" }],
    ["a=date:45 + a=date:DD/MM/YYYY", { kind: "date", format: "DD/MM/YYYY", pivotYear: 1945 }],
    ["a=amount + a=amount:,", { kind: "amount", decimal: "," }],
    ["a=text + a=text", { kind: "text" }],
  ])("reads %s as one type", (texts, type) => {
    expect(parseTypes(texts.split(" + "), "--type")).toEqual(new Map([["a", type]]));
  });
  it("refuses what is no type, and two that exclude each other, naming both", () => {
    const unknown = "a=number | a=text:3 | a=amount:x | a=amount:2 | a=date:MMDDYYYY | a | =text | a b=text";
    const twice = "a=text + a=date | a=date:DD/MM/YYYY + a=date:MM/DD/YYYY | a=amount:, + a=amount:.";
    const thrice = "a=date + a=date:DD/MM/YYYY + a=date:MM/DD/YYYY";
    const why = (given: string) => whyRefused((texts) => parseTypes(texts, "--type"), given);
    expect(why(unknown)).toEqual(["bad-option-value"]);
    expect(why(`${twice} | ${thrice}`)).toEqual(["contradicting-options"]);
    expect(why("cle=digits")).toEqual(["bad-option-value"]);
    expect(() => parseTypes(["a=amount", "b=text", "a=text"], "--type")).toThrow(
      expect.objectContaining({ hint: "leave out --type a=amount or --type a=text" }),
    );
  });
});

describe("parseSet", () => {
  it.each([
    ["source=web", "source", "web"],
    ["note=a=b", "note", "a=b"],
    ["note= x ", "note", " x "],
    ["note=", "note", ""],
  ])("reads %j", (text, field, value) => {
    expect([...parseSet([text], "--set")]).toEqual([[field, value]]);
  });
  it("refuses what is no field and value, a field twice, and the key", () => {
    const why = (given: string) => whyRefused((texts) => parseSet(texts, "--set"), given);
    expect(why("source | a b=c")).toEqual(["bad-option-value"]);
    expect(why("a=1 + a=2")).toEqual(["contradicting-options"]);
    expect(why("cle=7")).toEqual(["contradicting-options"]);
  });
});

describe("lists", () => {
  it.each([
    ["a,b", "a|b"],
    ["a + b, c ", "a|b|c"],
    [String.raw`Montant\, HT,4`, "Montant, HT|4"],
  ])("of columns are read: %j", (texts, names) => {
    expect(parseList(texts.split(" + "), "--drop")).toEqual(names.split("|"));
  });
  it("of columns may be missing, and hold no empty name", () => {
    expect(parseList([], "--drop")).toEqual([]);
    const codes = whyRefused((texts) => parseList(texts, "--drop"), "a,,b |  | a,");
    expect(codes).toEqual(["bad-option-value"]);
  });
  it.each([
    [String.raw`NULL,\N,-`, String.raw`NULL|\N|-`],
    [" ,x", " |x"],
    ["a + a,b", "a|b"],
  ])("of words for no value are read: %j", (texts, nulls) => {
    expect(parseNulls(texts.split(" + "))).toEqual(nulls.split("|"));
  });
});

describe("parseDecimal, parseTimeZone and parseDateFormat", () => {
  it("read what they know, in any case, and refuse the rest", () => {
    expect([parseDecimalMark(".", "--decimal"), parseDecimalMark(",", "--decimal")]).toEqual([".", ","]);
    expect(parseTimeZone("europe/paris", "--time-zone")).toBe("Europe/Paris");
    expect(parseDateFormat("Excel", "--date-format")).toBe("excel");
    expect(() => parseDecimalMark(";", "--decimal")).toThrow(usage("bad-option-value"));
    expect(() => parseTimeZone("Paris", "--time-zone")).toThrow(usage("bad-option-value"));
    expect(() => parseDateFormat("DD-MM", "--date-format")).toThrow(usage("bad-option-value"));
  });
});
