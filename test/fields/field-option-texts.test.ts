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
import { failureOf } from "./survey/survey-support.ts";

type Parse = (texts: readonly string[]) => unknown;

const map: Parse = (texts) => parseMap(texts, "--map").map(({ column, field }) => [column, field]);
const types: Parse = (texts) => [...parseTypes(texts, "--type")];
const set: Parse = (texts) => [...parseSet(texts, "--set")];
const list: Parse = (texts) => parseList(texts, "--drop");
const mark: Parse = ([text]) => parseDecimalMark(text!, "--decimal");
const zone: Parse = ([text]) => parseTimeZone(text!, "--time-zone");
const format: Parse = ([text]) => parseDateFormat(text!, "--date-format");

describe("the text of an option", () => {
  // A plus joins texts that are given together.
  it.each<[string, Parse, string, unknown]>([
    ["--map", map, "Order No=num_commande", [["Order No", "num_commande"]]],
    ["--map", map, "3=cle", [["3", "cle"]]],
    ["--map", map, "a=b=c", [["a=b", "c"]]],
    ["--map", map, " Clef = cle ", [["Clef", "cle"]]],
    ["--type", types, "a=text", [["a", { kind: "text" }]]],
    ["--type", types, "a=digits", [["a", { kind: "digits" }]]],
    ["--type", types, "a=amount:,", [["a", { kind: "amount", decimal: "," }]]],
    ["--type", types, "a=date:dd/mm/yyyy", [["a", { kind: "date", format: "DD/MM/YYYY" }]]],
    ["--type", types, "a=date:epoch-ms", [["a", { kind: "date", format: "epoch-ms" }]]],
    ["--type", types, "a=date + a=date:DD/MM/YYYY", [["a", { kind: "date", format: "DD/MM/YYYY" }]]],
    ["--type", types, "a=date:DD/MM/YYYY + a=date", [["a", { kind: "date", format: "DD/MM/YYYY" }]]],
    [
      "--type",
      types,
      "a=date:45 + a=date:DD/MM/YYYY",
      [["a", { kind: "date", format: "DD/MM/YYYY", pivotYear: 1945 }]],
    ],
    ["--type", types, "a=amount + a=amount:,", [["a", { kind: "amount", decimal: "," }]]],
    ["--set", set, "note=a=b", [["note", "a=b"]]],
    ["--set", set, "note= x ", [["note", " x "]]],
    ["--set", set, "note=", [["note", ""]]],
    ["--drop", list, "a + b, c ", ["a", "b", "c"]],
    ["--drop", list, String.raw`Montant\, HT,4`, ["Montant, HT", "4"]],
    ["--null", parseNulls, String.raw`NULL,\N,-`, ["NULL", String.raw`\N`, "-"]],
    ["--null", parseNulls, " ,x", [" ", "x"]],
    ["--null", parseNulls, "a + a,b", ["a", "b"]],
    ["--null", parseNulls, "", []],
    ["--decimal", mark, ".", "."],
    ["--time-zone", zone, "europe/paris", "Europe/Paris"],
    ["--date-format", format, "Excel", "excel"],
  ])("%s is read: %#", (_, parse, texts, value) => {
    expect(parse(texts.split(" + "))).toEqual(value);
  });

  it.each<[string, Parse, string, string]>([
    ["--map", map, "bad-option-value", "Order No | =cle | a= | a=b c | a=1b"],
    ["--type", types, "bad-option-value", "a=number | a=text:3 | a=amount:x | a=amount:2 | a=date:MMDDYYYY"],
    ["--type", types, "bad-option-value", "a | =text | a b=text | cle=digits"],
    [
      "--type",
      types,
      "bad-option-value",
      "a=date:2001 | a=date:1899 | a=date:145 | a=date:45:DD/MM/YYYY | a=date:",
    ],
    ["--type", types, "contradicting-options", "a=text + a=date | a=amount:, + a=amount:."],
    ["--type", types, "contradicting-options", "a=date + a=date:DD/MM/YYYY + a=date:MM/DD/YYYY"],
    ["--set", set, "bad-option-value", "source | a b=c"],
    ["--set", set, "contradicting-options", "a=1 + a=2 | cle=7"],
    ["--drop", list, "bad-option-value", "a,,b |  | a,"],
    ["--decimal", mark, "bad-option-value", ";"],
    ["--time-zone", zone, "bad-option-value", "Paris"],
    ["--date-format", format, "bad-option-value", "DD-MM"],
  ])("%s is refused as wrong usage, %s: %s", (_, parse, code, texts) => {
    for (const given of texts.split(" | "))
      expect(failureOf(() => parse(given.split(" + ")))).toMatchObject({ kind: "usage", code });
  });

  it("names both types that exclude each other", () => {
    const { hint } = failureOf(() => parseTypes(["a=amount", "b=text", "a=text"], "--type"));
    expect(hint).toBe("leave out --type a=amount or --type a=text");
  });
});
