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
import { parseDateFormat } from "../../src/fields/type-text.ts";

const usage = (code: string): object =>
  expect.objectContaining({ name: "RecPushError", kind: "usage", code });

describe("parseMap", () => {
  it.each([
    ["Order No=num_commande", "Order No", "num_commande"],
    ["3=cle", "3", "cle"],
    ["a=b=c", "a=b", "c"],
    [" Clef = cle ", "Clef", "cle"],
  ])("reads %j", (text, column, field) => {
    expect(parseMap([text], "--map")).toEqual([{ column, field }]);
  });
  it.each([
    ["Order No", "bad-option-value"],
    ["=cle", "bad-option-value"],
    ["a=", "bad-option-value"],
    ["a=b c", "bad-option-value"],
    ["a=1b", "bad-option-value"],
  ])("refuses %j", (text, code) => {
    expect(() => parseMap([text], "--map")).toThrow(usage(code));
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
  ])("reads %j", (text, type) => {
    expect(parseTypes([text], "--type")).toEqual(new Map([["a", type]]));
  });
  it.each([
    [["a=number"], "bad-option-value"],
    [["a=text:3"], "bad-option-value"],
    [["a=amount:x"], "bad-option-value"],
    [["a=amount:2"], "bad-option-value"],
    [["a=date:MMDDYYYY"], "bad-option-value"],
    [["a"], "bad-option-value"],
    [["=text"], "bad-option-value"],
    [["a b=text"], "bad-option-value"],
    [["a=text", "a=date"], "given-twice"],
    [["a=date:DD/MM/YYYY", "a=date:MM/DD/YYYY"], "given-twice"],
    [["a=date", "a=date:DD/MM/YYYY", "a=date:MM/DD/YYYY"], "given-twice"],
    [["a=amount:,", "a=amount:."], "given-twice"],
    [["cle=digits"], "key-type"],
  ])("refuses %j", (texts, code) => {
    expect(() => parseTypes(texts, "--type")).toThrow(usage(code));
  });
  it("names both of two types that exclude each other", () => {
    expect(() => parseTypes(["a=amount", "b=text", "a=text"], "--type")).toThrow(
      expect.objectContaining({ hint: "leave out --type a=amount or --type a=text" }),
    );
  });
  it.each([
    [["a=date", "a=date:DD/MM/YYYY"], { kind: "date", format: "DD/MM/YYYY" }],
    [["a=date:DD/MM/YYYY", "a=date"], { kind: "date", format: "DD/MM/YYYY" }],
    [["a=date:45", "a=date:DD/MM/YYYY"], { kind: "date", format: "DD/MM/YYYY", pivotYear: 1945 }],
    [["a=amount", "a=amount:,"], { kind: "amount", decimal: "," }],
    [["a=text", "a=text"], { kind: "text" }],
  ])("takes %j as one type", (texts, type) => {
    expect(parseTypes(texts, "--type")).toEqual(new Map([["a", type]]));
  });
  it("lists the possible types", () => {
    expect(() => parseTypes(["a=number"], "--type")).toThrow(
      '--type a "number": expected text, text! (nothing in it is noted), digits, amount, amount:, ',
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
  it.each([
    [["source"], "bad-option-value"],
    [["a b=c"], "bad-option-value"],
    [["a=1", "a=2"], "given-twice"],
    [["cle=7"], "constant-key"],
  ])("refuses %j", (texts, code) => {
    expect(() => parseSet(texts, "--set")).toThrow(usage(code));
  });
});

describe("parseList", () => {
  it.each([
    [["a,b"], ["a", "b"]],
    [
      ["a", "b, c "],
      ["a", "b", "c"],
    ],
    [[String.raw`Montant\, HT,4`], ["Montant, HT", "4"]],
    [[], []],
  ])("reads %j", (texts, names) => {
    expect(parseList(texts, "--drop")).toEqual(names);
  });
  it.each([[["a,,b"]], [[""]], [["a,"]]])("refuses an empty name in %j", (texts) => {
    expect(() => parseList(texts, "--drop")).toThrow(usage("bad-option-value"));
  });
});

describe("parseNulls", () => {
  it.each([
    [[String.raw`NULL,\N,-`], ["NULL", String.raw`\N`, "-"]],
    [[" ,x"], [" ", "x"]],
    [
      ["a", "a,b"],
      ["a", "b"],
    ],
    [[""], []],
  ])("reads %j", (texts, nulls) => {
    expect(parseNulls(texts)).toEqual(nulls);
  });
});

describe("parseDecimal, parseTimeZone and parseDateFormat", () => {
  it("read what they know, in any case", () => {
    expect([parseDecimalMark(".", "--decimal"), parseDecimalMark(",", "--decimal")]).toEqual([".", ","]);
    expect(parseTimeZone("europe/paris", "--time-zone")).toBe("Europe/Paris");
    expect(parseDateFormat("Excel", "--date-format")).toBe("excel");
  });
  it("refuse the rest", () => {
    expect(() => parseDecimalMark(";", "--decimal")).toThrow(usage("bad-option-value"));
    expect(() => parseTimeZone("Paris", "--time-zone")).toThrow(usage("bad-option-value"));
    expect(() => parseDateFormat("DD-MM", "--date-format")).toThrow(usage("bad-option-value"));
  });
});
