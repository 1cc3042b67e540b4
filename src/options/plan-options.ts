import { flagOf, type OptionValues, TABLE } from "./table.ts";

/** The options' part of a record plan: descriptions by flag. */
export interface OptionPlan {
  readonly texts: Readonly<Record<string, string>>;
  /** The descriptions in plans of earlier versions; `undefined` if they have none. */
  readonly before: Readonly<Record<string, string | undefined>>;
}

/** Describes the options that decide records and that the plan of the input does not cover, given or not. */
export function planOptions(values: OptionValues): OptionPlan {
  const texts: Record<string, string> = {};
  const before: Record<string, string | undefined> = {};
  for (const { name, declaration } of TABLE) {
    const { records } = declaration;
    if (records.kind !== "compared") continue;
    const flag = flagOf(name, declaration);
    texts[flag] = records.describe(values[name]);
    before[flag] = records.before === "as now" ? texts[flag] : records.before(values[name]);
  }
  return { texts, before };
}
