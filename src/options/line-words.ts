import type { RejectsFile } from "../model/exit-code.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { quoteWord } from "../model/text.ts";
import type { CommandName, Declaration, SettledPush } from "./declaration.ts";
import { flagOf, flagsOf, type OptionName, TABLE, useIn } from "./table.ts";

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
export function mendCommand(
  { path, survey }: Pick<RejectsFile, "path" | "survey">,
  push: Omit<SettledPush, "survey">,
): string {
  const file = path.startsWith("-") ? `./${path}` : path;
  const words = [
    "rec-push",
    file,
    ...spellOptions(push.line, ({ mended }) => mended === "repeated"),
    ...settledWords({ ...push, survey }),
  ];
  return words.map(quoteWord).join(" ");
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

const TOLD: ReadonlySet<string> = new Set(["json", "quiet", "verbose"]);

/** The command that accepts every certain answer about a file and writes it into the config. */
export function initCommand(file: string, table: string, line: OptionTexts): string {
  const { table: _, ...others } = line;
  const options = spellOptions(
    others,
    (declaration, name) => useIn("init", declaration) !== undefined && !TOLD.has(name),
  );
  const words = ["rec-push", "init", file.startsWith("-") ? `./${file}` : file, "--table", table, ...options];
  return [...words, "--yes"].map(quoteWord).join(" ");
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
