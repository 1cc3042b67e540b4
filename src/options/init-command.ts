import { quoteWord } from "../model/shell-word.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { spellOptions } from "./spell-options.ts";
import { useIn } from "./table.ts";

const TOLD: ReadonlySet<string> = new Set(["json", "quiet", "verbose", "progress"]);

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
