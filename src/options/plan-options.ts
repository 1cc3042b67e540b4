import { flagOf, type OptionValues, TABLE } from "./table.ts";

/**
 * Describes by flag the options that decide records and that the plan of the input does not cover, given or not.
 */
export function planOptions(values: OptionValues): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { name, declaration } of TABLE) {
    const { records } = declaration;
    if (records.kind === "compared") texts[flagOf(name, declaration)] = records.describe(values[name]);
  }
  return texts;
}
