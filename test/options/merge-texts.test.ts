import { describe, expect, it } from "vitest";
import type { OptionTexts } from "../../src/model/option-texts.ts";
import { mergeTexts } from "../../src/options/derive.ts";

const STOP: OptionTexts = { onInvalid: "stop" };
const headers = (...httpHeader: string[]): OptionTexts => ({ httpHeader });

describe("mergeTexts of a config and a command line", () => {
  it.each<[string, OptionTexts, OptionTexts, OptionTexts]>([
    ["the config's value", { delimiter: ";" }, {}, { delimiter: ";" }],
    ["the option before it", { delimiter: ";" }, { delimiter: "," }, { delimiter: "," }],
    ["no header, as the config says", { header: false }, {}, { header: false }],
    ["a header line instead of no header", { header: false }, { headerLine: "2" }, { headerLine: "2" }],
    ["no header instead of a header line", { headerLine: "2" }, { header: false }, { header: false }],
    ["another field for a column", { map: ["A=x", "B=y"] }, { map: ["a=z"] }, { map: ["B=y", "a=z"] }],
    ["another column for a field", { map: ["A=x", "B=y"] }, { map: ["C=x"] }, { map: ["B=y", "C=x"] }],
    ["a mapped column dropped", { map: ["A=x", "B=y"] }, { drop: ["A,C"] }, { map: ["B=y"], drop: ["A,C"] }],
    ["a dropped column mapped", { drop: ["A", "B"] }, { map: ["A=x"] }, { map: ["A=x"], drop: ["B"] }],
    ["more to drop", { drop: ["A"] }, { drop: ["B"] }, { drop: ["A", "B"] }],
    ["other columns to keep", { keep: ["A"] }, { keep: ["B"] }, { keep: ["B"] }],
    ["more cells that mean nothing", { null: ["-"] }, { null: ["NULL"] }, { null: ["-", "NULL"] }],
    ["no limit where invalid rows stop", { onInvalid: "skip", maxInvalid: "1%" }, STOP, STOP],
    ["constants by field", { set: ["a=1", "b=2"] }, { set: ["b=3=4"] }, { set: ["a=1", "b=3=4"] }],
    ["headers by name", headers("X-A: 1", "X-B: 2"), headers("x-a: 3"), headers("X-B: 2", "x-a: 3")],
  ])("gives %s", (_, config, line, expected) => {
    expect(mergeTexts(config, line)).toEqual(expected);
  });
});

describe("mergeTexts of two configs", () => {
  it.each<[string, OptionTexts, OptionTexts, OptionTexts]>([
    ["a header that was written down, before none", { header: false }, { header: true }, { header: true }],
    ["no header before a header's line", { headerLine: "2" }, { header: false }, { header: false }],
    ["a header's line before no header", { header: false }, { headerLine: "2" }, { headerLine: "2" }],
    ["a flag that is taken back", { pinned: true }, { pinned: false }, { pinned: false }],
    ["constants by field", { set: ["a=1", "b=2"] }, { set: ["b=3"] }, { set: ["a=1", "b=3"] }],
    ["another field for a column", { map: ["A=x", "B=y"] }, { map: ["a=z"] }, { map: ["B=y", "a=z"] }],
    [
      "what either leaves out",
      { drop: ["A"] },
      { drop: ["B"], null: ["?"] },
      { drop: ["A", "B"], null: ["?"] },
    ],
    ["what means nothing in either", { null: ["-"] }, { null: ["?"] }, { null: ["-", "?"] }],
  ])("gives %s", (_, less, more, expected) => {
    expect(mergeTexts(less, more)).toEqual(expected);
  });

  it("takes three as it takes two of them and the third", () => {
    const [one, two, three]: OptionTexts[] = [
      { delimiter: ";", map: ["A=x", "B=y"], drop: ["C"], set: ["s=1"], header: false },
      { map: ["C=x"], headerLine: "2", decimal: "," },
      { delimiter: "|", drop: ["B"], set: ["s=2", "t=3"] },
    ];
    const left = mergeTexts(mergeTexts(one!, two!), three!);
    expect(left).toEqual(mergeTexts(one!, mergeTexts(two!, three!)));
    const merged = { delimiter: "|", map: ["C=x"], drop: ["B"], set: ["s=2", "t=3"], headerLine: "2" };
    expect(left).toMatchObject(merged);
  });
});
