import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import type { Declaration } from "./declaration.ts";
import { flagOf, type OptionName, TABLE } from "./table.ts";

/** The wanted options of a command line as words again, in its order. */
export function spellOptions(
  line: OptionTexts,
  isWanted: (declaration: Declaration<unknown>, name: OptionName) => boolean,
): readonly string[] {
  return Object.entries(line).flatMap(([name, value]) => {
    const entry = TABLE.find((known) => known.name === name);
    if (entry === undefined || !isWanted(entry.declaration, entry.name)) return [];
    const flag = flagOf(name, entry.declaration);
    // A config can set a flag to false.
    if (typeof value === "boolean") return value === (entry.declaration.form.kind === "flag") ? [flag] : [];
    return textsOf(line, name).flatMap((text) => optionWords(flag, text));
  });
}

/** A value that begins with a dash would be mistaken for an option. */
export function optionWords(flag: string, value: string): readonly string[] {
  return value.startsWith("-") || value === "" ? [`${flag}=${value}`] : [flag, value];
}
