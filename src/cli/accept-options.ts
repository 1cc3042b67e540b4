import { splitWords } from "../model/shell-word.ts";
import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import type { Io } from "./io.ts";
import type { CommandLine } from "./program.ts";
import { readCommandLine } from "./read-command-line.ts";

/** The command line with more options at its end: those that a failure suggests, as if they had been pasted. */
export function acceptOptions(line: CommandLine, options: readonly string[], io: Io): CommandLine {
  if (options.length === 0) return line;
  const added = readCommandLine([line.command, "file", ...options.flatMap(splitWords)], io);
  return typeof added === "number" || added === "help"
    ? line
    : { ...line, options: append(line.options, added.options) };
}

/**
 * As commander reads them: an option that may be repeated is extended, any other is replaced by its last occurrence.
 */
function append(before: OptionTexts, added: OptionTexts): OptionTexts {
  const texts: Record<string, OptionText> = { ...(before as Record<string, OptionText>) };
  for (const [name, text] of Object.entries(added)) {
    const old = texts[name];
    texts[name] = Array.isArray(text) && Array.isArray(old) ? [...old, ...text] : text!;
  }
  return texts;
}
