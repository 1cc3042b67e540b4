import type { OptionTexts } from "../model/option-texts.ts";
import { quoteWord } from "../model/shell-word.ts";
import type { CommandName } from "./declaration.ts";
import { useIn } from "./table.ts";
import { spellOptions } from "./spell-options.ts";

/**
 * The options of a push as shell words for another command on a file of the same table; the table and secret values are
 * left out. Begins with a space unless it is empty.
 */
export function lineWords(line: OptionTexts, command: CommandName): string {
  const words = spellOptions(line, (declaration, name) => {
    const { mended } = declaration;
    const isCopied = mended.kind === "repeated" || mended.kind === "settled";
    return name !== "table" && isCopied && useIn(command, declaration) !== undefined;
  });
  return words.map((word) => ` ${quoteWord(word)}`).join("");
}
