import { describe, expect, it } from "vitest";
import { sectionTexts } from "../../src/cli/config/apply-config.ts";
import { checkConfig } from "../../src/cli/config/read-config.ts";
import { createProgram } from "../../src/cli/program.ts";
import { splitAtCommas } from "../../src/fields/field-rule-texts.ts";
import { type OptionText, type OptionTexts, textsOf } from "../../src/model/option-texts.ts";
import type { ConfigKey, Form } from "../../src/options/declaration.ts";
import { readOption } from "../../src/options/read-values.ts";
import { isOnLine, type OptionName, OPTIONS, TABLE } from "../../src/options/table.ts";
import { SAMPLES } from "./resume-samples.ts";

/** The options of a push with these words. */
function readLine(words: readonly string[]): OptionTexts {
  let options: OptionTexts = {};
  const write = { out: () => undefined, err: () => undefined };
  const program = createProgram("push", (line) => (options = line.options), write, "1.0.0");
  program.parse(["push", "a.csv", ...words], { from: "user" });
  return options;
}

/** A value of the config with the meaning of an option's text. */
function configValue(text: OptionText, form: Form<unknown>): unknown {
  if (form.kind !== "texts") return text;
  const { items } = form;
  if (items.kind === "texts") return text;
  if (items.kind === "list") return textsOf({ text }, "text").flatMap(splitAtCommas);
  const { sign } = items;
  const pairs = textsOf({ text }, "text").map((pair) => [
    pair.slice(0, pair.lastIndexOf(sign)).trim(),
    pair.slice(pair.lastIndexOf(sign) + 1).trim(),
  ]);
  return Object.fromEntries(pairs) as unknown;
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
    const section = { [key]: configValue(text, form) };
    const config = place === "table" ? { tables: { t: section } } : { profiles: { p: section } };
    expect(checkConfig(config, "c.json")).toBe(config);
    const read = sectionTexts(section, place as "table" | "profile");
    expect(readOption(read[name]!, form, key)).toEqual(readOption(text, form, key));
  });

  it("is shown by a sample, if a run keeps its option", () => {
    const shown = new Set(ofConfig.map(([name]) => name));
    const missing = TABLE.filter(
      ({ name, declaration }) =>
        declaration.config.some(({ place }) => place !== "field") &&
        declaration.journal === "text" &&
        isOnLine(declaration) &&
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
    expect(() => checkConfig(config, "c.json")).toThrow(text);
  });
});
