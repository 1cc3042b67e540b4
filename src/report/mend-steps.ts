import { LATER_LINE } from "../model/marker-columns.ts";
import { showText } from "../model/visible-text.ts";
import { showCount } from "../model/quantities.ts";

/** A file with rows that a person must look at, and the command that pushes it. */
export interface RejectsHint {
  readonly path: string;
  readonly rows: number;
  /** How many of them have a later row with the same key that was accepted. */
  readonly later: number;
  /** True for the rows of a workbook, which are written as CSV. */
  readonly isOfWorkbook: boolean;
  readonly command: string;
  /** Options whose values are secret, so that they are not in the command. */
  readonly leftOut: readonly string[];
}

/** The commands for the rows that were not accepted, ready to paste. */
export function describeMends(mends: readonly RejectsHint[]): string[] {
  return mends.map(({ path, rows, later, isOfWorkbook, command, leftOut }) => {
    const count = showCount(rows, "row");
    if (later === rows) {
      return `leave the ${count} in ${showText(path, 400)}: a later row with the same key was accepted, and pushing ${rows === 1 ? "it" : "them"} would bring old values back`;
    }
    const secrets = leftOut.length === 0 ? "" : ` (and ${leftOut.join(", ")} as before)`;
    const shown = showText(command, command.length);
    const what = isOfWorkbook ? "that file, which is CSV" : "that file";
    const old =
      later === 0
        ? ""
        : `, delete ${showCount(later, "row")} of them with a ${LATER_LINE} (a later row with the same key was accepted)`;
    return `mend the ${count} in ${showText(path, 400)}${old}, then push ${what}${secrets}: ${shown}`;
  });
}
