import { resolve } from "node:path";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { type OptionName, OPTIONS, TABLE } from "./table.ts";

/** The options that the journal of a run keeps. Paths are relative to `cwd`, the directory of the command. */
export function keptTexts(texts: OptionTexts, cwd: string): OptionTexts {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration: { journal } }) => {
      const text = texts[name];
      if (text === undefined) return [];
      if (journal.kind === "path") return [[name, resolve(cwd, String(text))] as const];
      return journal.kind === "text" ? [[name, text] as const] : [];
    }),
  );
}

/** The names in the texts of an option, without the secret values. */
export function keptNames(name: OptionName, texts: OptionTexts): readonly string[] {
  const { journal } = OPTIONS[name];
  if (journal.kind !== "names") return [];
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
  if (journal.kind !== "names") return [];
  const now = keptNames(name, texts);
  return then.filter((known) => !now.includes(known)).map((known) => journal.show(known));
}
