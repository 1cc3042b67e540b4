import { resolve } from "node:path";
import type { FieldOptions } from "../fields/field-options.ts";
import { splitAtCommas } from "../fields/field-rule-texts.ts";
import type { SurveyReport } from "../model/counts.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { quoteWord } from "../model/text.ts";
import { type CommandName, type Declaration, given, type SettledPush } from "./declaration.ts";
import { takesNumber } from "./program-values.ts";
import { flagOf, flagsOf, type OptionName, OPTIONS, type OptionValues, TABLE, useIn } from "./table.ts";

// What is derived from the declarations: the environment, what a run keeps, the section that `init` writes, and command
// lines to paste.

/**
 * The options that environment variables set; an empty variable sets nothing. For a repeatable option the variable
 * names a file, as @FILE does.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): OptionTexts {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration: { environment, form } }) => {
      const text = environment === undefined ? undefined : env[environment];
      return text ? [[name, form.kind === "texts" ? [`@${text}`] : text] as const] : [];
    }),
  );
}

/** Merges the options of two sides; `more` has priority. */
export function mergeTexts(less: OptionTexts, more: OptionTexts): OptionTexts {
  const merged = TABLE.map(({ name, declaration: { merge } }) => [
    name,
    merge === undefined ? (more[name] ?? less[name]) : merge({ less, more }, name),
  ]);
  return given(Object.fromEntries(merged) as OptionTexts);
}

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

/** The section that makes a file of this kind be read as the survey read it, with nothing left to infer. */
export function pinnedSection(
  survey: SurveyReport,
  texts: OptionTexts,
  fields: FieldOptions,
): Readonly<Record<string, unknown>> {
  return sectionOf((name, { init }) => {
    if (typeof init === "function") return init(survey, fields, texts);
    return init === "given" ? configValue(texts, name) : undefined;
  });
}

/** The section that keeps what a command line says about how files are read, and nothing that was inferred. */
export function chosenSection(texts: OptionTexts): Readonly<Record<string, unknown>> {
  const isKept = ({ records, init }: Declaration<unknown>): boolean => records !== "none" || init !== "none";
  return sectionOf((name, declaration) => (isKept(declaration) ? configValue(texts, name) : undefined));
}

/** A section with the values of all options; those by field become rules of the fields. */
function sectionOf(
  valueOf: (name: OptionName, declaration: Declaration<unknown>) => unknown,
): Readonly<Record<string, unknown>> {
  const section: Record<string, unknown> = {};
  const fields: Record<string, Record<string, unknown>> = {};
  for (const { name, declaration } of TABLE) {
    const value = valueOf(name, declaration);
    if (declaration.config[0]?.place !== "field") section[name] = value;
    else for (const [field, rule] of Object.entries(value ?? {})) (fields[field] ??= {})[name] = rule;
  }
  return given({ ...section, fields: Object.keys(fields).length === 0 ? undefined : fields });
}

/** An option as people write it in a config: `"headerLine": 3`, `"identifyBy": ["a", "b"]`, `"set": { "source": "web" }`. */
export function configValue(texts: OptionTexts, name: OptionName): unknown {
  const { form } = OPTIONS[name];
  const text = texts[name];
  if (text === undefined || form.kind === "flag" || form.kind === "negated") return text;
  if (form.kind === "text")
    return typeof text === "string" && /^\d{1,12}$/.test(text) && takesNumber(form) ? Number(text) : text;
  const all = textsOf(texts, name);
  switch (form.items.kind) {
    case "texts":
      return all;
    case "list":
      return all.flatMap(splitAtCommas);
    case "pairs": {
      const { sign, split } = form.items;
      const at = (pair: string): number => (split === "first" ? pair.indexOf(sign) : pair.lastIndexOf(sign));
      return Object.fromEntries(
        all.map((pair) => [pair.slice(0, at(pair)).trim(), pair.slice(at(pair) + sign.length)]),
      );
    }
  }
}

/**
 * The options of a push as shell words for another command on a file of the same table; the table and secret values are
 * left out. Begins with a space unless it is empty.
 */
export function lineWords(line: OptionTexts, command: CommandName): string {
  const words = spellOptions(line, (declaration, name) => {
    const { mended } = declaration;
    const isCopied = mended === "repeated" || typeof mended === "function";
    return name !== "table" && isCopied && useIn(command, declaration) !== undefined;
  });
  return words.map((word) => ` ${quoteWord(word)}`).join("");
}

/** The command that pushes a mended rejects file: the options of the push, with everything that it settled pinned. */
export function mendCommand(path: string, push: SettledPush): string {
  const file = path.startsWith("-") ? `./${path}` : path;
  const words = [
    "rec-push",
    file,
    ...spellOptions(push.line, ({ mended }) => mended === "repeated"),
    ...settledWords(push),
  ];
  return words.map(quoteWord).join(" ");
}

/** The options of a command line for another directory: with absolute paths. */
export function absoluteLine(line: OptionTexts, cwd: string): OptionTexts {
  return Object.fromEntries(
    Object.entries(line).map(([name, value]) => {
      const { form } = OPTIONS[name as OptionName];
      const isPath = form.kind === "text" && ["<file>", "<dir>"].includes(form.argument);
      return [name, isPath ? resolve(cwd, String(value)) : value];
    }),
  );
}

/** The flags of the options that have to be given again by hand, because their values are secret. */
export function secretFlags(line: OptionTexts): readonly string[] {
  return TABLE.flatMap((entry) => {
    const isGiven = entry.declaration.mended === "secret" && line[entry.name] !== undefined;
    return isGiven ? flagsOf(entry).slice(0, 1) : [];
  });
}

function settledWords(push: SettledPush): readonly string[] {
  return TABLE.flatMap(({ name, declaration }) => {
    const { mended } = declaration;
    if (typeof mended !== "function") return [];
    return mended(push).flatMap((text) => optionWords(flagOf(name, declaration), text));
  });
}

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
function optionWords(flag: string, value: string): readonly string[] {
  return value.startsWith("-") || value === "" ? [`${flag}=${value}`] : [flag, value];
}
