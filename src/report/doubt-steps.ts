import { quoteWord } from "../model/shell-word.ts";
import { showText } from "../model/visible-text.ts";

/** The step for a run of whose records in doubt only some are in the service; `path` is the file of the rows in doubt. */
export function someAreThere(run: string, path: string | undefined): string {
  if (path === undefined)
    return `if only some are there: rec-push resume ${run} --in-doubt absent, then rec-push ledger add FILE for a file of those that are there, then push the whole file again`;
  return `if only some are there: delete their rows from ${showText(path, 400)}, which sends the others: rec-push resume ${run} --in-doubt-file ${quoteWord(path)}`;
}
