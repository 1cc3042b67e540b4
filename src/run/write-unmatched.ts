import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { writeRejects } from "../finish/write-rejects.ts";
import { whyLeftOut } from "../ledger/exports-rule.ts";
import { RecPushError } from "../model/failure.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { createsToShow } from "./creates-to-show.ts";

const WHY = { field: "", reason: "equal to no record created before" };

/**
 * Writes the creates of an input that match none of the ledger, in the format of the input, into the state directory:
 * beside the input, a later push of all files there would include it. Returns the path; `undefined` if it cannot be
 * written.
 */
export async function writeUnmatched(
  input: SurveyedInput,
  read: ReadOptions,
  states: Uint8Array,
  { root }: Pick<StateDirectory, "root">,
  table: string,
): Promise<string | undefined> {
  const directory = join(root, "unmatched");
  const path = join(directory, nameUnmatched(table, input.source.name));
  const isUnmatched = (ordinal: number): boolean => whyLeftOut(states[ordinal]!) === undefined;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeRejects(input, createsToShow(input, read, isUnmatched, WHY), {
      kind: "rejects",
      cellsOf: ({ line, field, reason }) => [line, field, reason, ""],
      draft: path,
      place: async () => path,
      abort: new AbortController().signal,
    });
    return path;
  } catch (error) {
    if (error instanceof RecPushError || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined;
    throw error;
  }
}

/** The name of the file: one without a special meaning on any system, unlike `con.` or a colon on Windows. */
export function nameUnmatched(table: string, file: string): string {
  const name = file === "-" ? "stdin" : basename(file).replace(/\.(?:gz|zst|zip)$/i, "");
  // Rows of a workbook are written as CSV.
  return `${table.replaceAll(/[^\w-]/g, "_")}-${name.replace(/\.xls[xm]$/i, ".csv")}`;
}
