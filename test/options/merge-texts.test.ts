import { describe, expect, it } from "vitest";
import { sectionTexts } from "../../src/cli/config/apply-config.ts";
import { readConfig } from "../../src/cli/config/read-config.ts";
import { createProgram } from "../../src/cli/command-line.ts";
import type { OptionText, OptionTexts } from "../../src/model/option-texts.ts";
import type { ConfigKey } from "../../src/options/declaration.ts";
import { configValue, mergeTexts, pinnedSection } from "../../src/options/derive.ts";
import { readOption } from "../../src/options/read-values.ts";
import { flagsOf, type OptionName, OPTIONS, TABLE } from "../../src/options/table.ts";
import { csvReading, fieldOptions, survey } from "../fields/survey/survey-support.ts";
import { SAMPLES } from "./resume-samples.ts";

const headers = (...httpHeader: string[]): OptionTexts => ({ httpHeader });

describe("mergeTexts of two sides", () => {
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
    ["constants by field", { set: ["a=1", "b=2"] }, { set: ["b=3=4"] }, { set: ["a=1", "b=3=4"] }],
    ["a header that was written down, before none", { header: false }, { header: true }, { header: true }],
    ["a flag that is taken back", { pinned: true }, { pinned: false }, { pinned: false }],
    ["headers by name", headers("X-A: 1", "X-B: 2"), headers("x-a: 3"), headers("X-B: 2", "x-a: 3")],
  ])("gives %s", (_, config, line, expected) => {
    expect(mergeTexts(config, line)).toEqual(expected);
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

/** The options of a push with these words. */
function readLine(words: readonly string[]): OptionTexts {
  let options: OptionTexts = {};
  const write = { out: () => undefined, err: () => undefined };
  const program = createProgram("push", (line) => (options = line.options), write, "1.0.0");
  program.parse(["push", "a.csv", ...words], { from: "user" });
  return options;
}

const ofConfig = TABLE.flatMap(({ name, declaration }) =>
  declaration.config
    .filter(({ place }) => place !== "field")
    .flatMap((key) =>
      (SAMPLES[name] ?? [])
        .map(({ argv }) => readLine(["--url", "https://records.example", ...argv])[name])
        .filter((text) => text !== undefined)
        .map((text): [OptionName, OptionText, ConfigKey] => [name, text, key]),
    ),
);

describe("a key of the config", () => {
  it.each(ofConfig)("means what its option means: %s %j", (name, text, { place, key = name }) => {
    const { form } = OPTIONS[name];
    const section = { [key]: configValue({ [name]: text }, name) };
    const config = place === "table" ? { tables: { t: section } } : { profiles: { p: section } };
    expect(readConfig(JSON.stringify(config), "c.json")).toEqual(config);
    const read = sectionTexts(section, place as "table" | "profile");
    expect(readOption(read[name]!, form, key)).toEqual(readOption(text, form, key));
  });

  it("is shown by a sample, if a run keeps its option", () => {
    const shown = new Set(ofConfig.map(([name]) => name));
    const missing = TABLE.filter(
      ({ name, declaration }) =>
        declaration.config.some(({ place }) => place !== "field") &&
        declaration.journal === "text" &&
        flagsOf({ name, declaration }).length > 0 &&
        !shown.has(name),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

describe("a pair of a config", () => {
  it.each([
    [{ tables: { t: { map: { "Order No": "num=commande" } } } }, "expected values without ="],
    [{ profiles: { p: { query: { "a=b": "c" } } } }, "expected names without ="],
  ])("is refused where its text would be read as another one: %j", (config, text) => {
    expect(() => readConfig(JSON.stringify(config), "c.json")).toThrow(text);
  });
});

it("writes the fields of --identify-by one by one, as a config lists them", () => {
  const { plan: _, ...found } = survey(csvReading(["cle", "a"]), []);
  const report = { reading: csvReading(["cle", "a"]), ...found };
  const { identifyBy, headerLine } = pinnedSection(
    report,
    { identifyBy: ["a,b", "c"], headerLine: "3" },
    fieldOptions(),
  );
  expect([identifyBy, headerLine]).toEqual([["a", "b", "c"], 3]);
});
