import { resolve } from "node:path";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { flagOf, type OptionName, OPTIONS, type OptionValues, TABLE } from "./table.ts";

/** The options that the journal of a run keeps. Paths are relative to `cwd`, the directory of the command. */
export function keptTexts(texts: OptionTexts, cwd: string): OptionTexts {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration: { journal } }) => {
      const text = texts[name];
      if (text === undefined) return [];
      if (journal === "path") return [[name, resolve(cwd, String(text))] as const];
      return journal === "text" ? [[name, text] as const] : [];
    }),
  );
}

/** The names in the texts of an option, without the secret values. */
export function keptNames(name: OptionName, texts: OptionTexts): readonly string[] {
  const { journal } = OPTIONS[name];
  if (typeof journal !== "object") return [];
  return textsOf(texts, name)
    .map((text) => text.slice(0, text.indexOf(journal.sign)).trim())
    .sort();
}

/** The names given to an earlier command that are missing now, as requests to the user. */
export function missingNames(
  name: OptionName,
  then: readonly string[],
  texts: OptionTexts,
): readonly string[] {
  const { journal } = OPTIONS[name];
  if (typeof journal !== "object") return [];
  const now = keptNames(name, texts);
  return then.filter((known) => !now.includes(known)).map((known) => journal.show(known));
}

/**
 * Describes by flag the options that decide records and that the plan of the input does not cover, given or not.
 */
export function planOptions(values: OptionValues): Readonly<Record<string, string>> {
  const described = TABLE.flatMap(({ name, declaration }) => {
    const { records } = declaration;
    return typeof records === "string"
      ? []
      : [[flagOf(name, declaration), records.describe(values[name])] as const];
  });
  return Object.fromEntries(described);
}
