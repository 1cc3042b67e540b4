import { quoteWord } from "./shell-word.ts";
import { quoteText } from "./visible-text.ts";

/** Of an error about a sheet that nobody named: which one it is, and the option that reads one of the others. */
export function referToSheets(name: string, others: readonly string[]): string {
  const [first = "NAME"] = others;
  const more = others.length > 1 ? ` (there are ${others.length})` : "";
  return `the sheet ${quoteText(name, 40)} is read, the first that holds a table; --sheet ${quoteWord(first)} reads another${more}`;
}
