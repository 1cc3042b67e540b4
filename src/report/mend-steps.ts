import type { RowsKind } from "../model/marker-columns.ts";
import { showText } from "../model/visible-text.ts";
import { showCount } from "../model/quantities.ts";

/** A file with rows that a person must look at, and the command that pushes it. */
export interface RejectsHint {
  readonly path: string;
  readonly rows: number;
  readonly kind: RowsKind;
  /** True for the rows of a workbook, which are written as CSV. */
  readonly isOfWorkbook: boolean;
  readonly command: string;
  /** Options whose values are secret, so that they are not in the command. */
  readonly leftOut: readonly string[];
}

/** The commands for the rows that were not accepted, ready to paste. */
export function describeMends(mends: readonly RejectsHint[]): string[] {
  return mends.map(({ path, rows, kind, isOfWorkbook, command, leftOut }) => {
    const count = showCount(rows, "row");
    if (kind === "superseded") {
      return `leave the ${count} in ${showText(path, 400)}: a later row with the same key was accepted, and pushing ${rows === 1 ? "it" : "them"} would bring old values back`;
    }
    if (kind === "changed") {
      const what = rows === 1 ? "correct its record" : "correct their records";
      return `look at the ${count} in ${showText(path, 400)} and ${what} in the service by hand: no push can, because the key is not known`;
    }
    const secrets = leftOut.length === 0 ? "" : ` (and ${leftOut.join(", ")} as before)`;
    const shown = showText(command, command.length);
    const what = isOfWorkbook ? "that file, which is CSV" : "that file";
    return `mend the ${count} in ${showText(path, 400)}, then push ${what}${secrets}: ${shown}`;
  });
}
