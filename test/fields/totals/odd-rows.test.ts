import { describe, expect, it } from "vitest";
import { OddRows } from "../../../src/fields/totals/odd-rows.ts";

/** The kind of each row that is unlike all others, by its index; `key`: the column of the key; `phrase`: that of the last row. */
function findOdd(lines: readonly string[], key?: number, phrase?: string): Record<number, string> {
  const rows = lines.map((line) => line.split(";"));
  const width = Math.max(...rows.map((cells) => cells.length));
  const columns = { width, sent: [], key, dates: [], digits: [], amounts: [], nullsAt: [] };
  const odd = new OddRows(columns, "a.csv", {}, undefined);
  for (const [at, cells] of rows.entries()) {
    const row = { cells, line: at + 2, start: at, end: at + 1 };
    odd.note(row, at === rows.length - 1 ? phrase : undefined);
  }
  return Object.fromEntries(odd.finish());
}

const NAMES = ["C1;Meier;Ulm", "C2;Kern;Jena", "C3;Roth;Ulm", "C4;Vogt;Bonn", "C5;Lang;Jena"];
const TEXTS = [
  "C1;Meier;Ulm;bar",
  "C2;Kern;Jena;Karte",
  "C3;Roth;Ulm;bar",
  "C4;Vogt;Bonn;bar",
  "C5;Lang;Ulm;bar",
];
const PRICES = ["C1;Meier;3;1,50;0,30", "C2;Kern;2;2,50;0,50", "C3;Roth;1;3,50;0,70", "C4;Vogt;4;1,25;0,25"];
const LINES = ["7001;A1;Zange;3;1,50", "7002;A2;Säge;2;2,50", "7003;A3;Feile;1;3,50", "7004;A4;Hobel;4;4,50"];
const UPDATES = ["P1;Meier;Ulm;1,50;", "P2;Kern;Jena;2,50;", "P3;Roth;Ulm;3,50;", "P4;Vogt;Bonn;4,50;x"];

describe("a row unlike all others", () => {
  it.each<[string, readonly string[], number | undefined]>([
    ["has a word where codes begin the rows", [...NAMES, "Agentur Süd;;"], undefined],
    ["has one text and no code", [...NAMES, ";Fortsetzung;"], undefined],
    ["has a text and an amount, and no code", [...PRICES, ";Rest;;9,50;"], undefined],
    ["has nothing but numbers", [...PRICES, ";;10;8,75;1,75"], undefined],
    ["has one text and no key", [...UPDATES, ";;Lyon;;"], 0],
    ["has nothing that the others have", [...UPDATES, ";;;;siehe unten"], 0],
  ])("%s", (_, lines, key) => {
    expect(findOdd(lines, key)).toEqual({ [lines.length - 1]: "lacks" });
  });

  it.each<[string, readonly string[], number | undefined]>([
    ["texts of which two are blank", [...TEXTS, ";Haas;;bar"], undefined],
    ["a row with a code of its own", [...LINES, ";A5;;5;"], undefined],
    ["a create with a name and a note", [...UPDATES, ";Haas;;;neu"], 0],
    ["one of few rows that begins as they do", ["C1;Meier;Ulm", "C2;;"], undefined],
    ["one of many lines of signs", ["*;**", "**;*", "***;*", "*;*"], undefined],
  ])("is not %s", (_, lines, key) => {
    expect(findOdd(lines, key)).toEqual({});
  });

  it("is a total by its first text, if it lacks something at all", () => {
    expect(findOdd([...TEXTS, "Total;;Ulm;bar"], undefined, "Total")).toEqual({ 5: "phrase" });
    expect(findOdd([...TEXTS, "Total;Haas;Ulm;bar"], undefined, "Total")).toEqual({ 5: "phrase" });
    expect(findOdd([...NAMES.map((name) => name.slice(3)), "Total;Ulm"], undefined, "Total")).toEqual({});
  });

  it("is a line of signs", () => {
    expect(findOdd([...NAMES, "---;---;---"])).toEqual({ 5: "rule" });
  });
});
