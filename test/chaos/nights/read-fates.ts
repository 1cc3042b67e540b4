import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Life, NightEnd, NightFile } from "./life.ts";
import { isDoubt, type RowFate } from "./truth.ts";

const OUTCOMES = ["accepted", "refused", "failed", "inDoubt", "rejected", "notSent", "skipped"];

/** Reads what a push reported of each row, and checks that its counts, results and exit code agree. */
export async function readFates(
  life: Life,
  files: readonly NightFile[],
  { code, events }: NightEnd,
  results: string,
): Promise<readonly RowFate[]> {
  const summary = events.findLast(({ event }) => event === "summary");
  const rows = files.reduce((sum, file) => sum + file.rows.length, 0);
  if (summary !== undefined && code !== 2 && code !== 9) {
    const told = OUTCOMES.reduce((sum, outcome) => sum + Number(summary[outcome]), 0);
    if (told !== Number(summary["read"]))
      life.find("untold", `${told} outcomes of ${Number(summary["read"])} rows`);
    if (code !== 1 && Number(summary["read"]) !== rows)
      life.find("untold", `${Number(summary["read"])} rows read of ${rows}, exit ${code}`);
    if (code !== 1 && Number(summary["exitCode"]) !== code)
      life.find("untold", `exit ${code}, the summary says ${Number(summary["exitCode"])}`);
  }
  const fates = matchRows(files, await readFile(join(life.directory, results), "utf8").catch(() => ""));
  // Doubt that an earlier push left stops a push before it begins, as a question does.
  const isStopped = code === 8 && Number(summary?.["notSent"]) === rows;
  if (code === 0 || code === 4 || (code === 8 && !isStopped)) {
    if (fates.length !== rows) life.find("untold", `${fates.length} results of ${rows} rows, exit ${code}`);
    // Rows that were said to be absent are left to another push, which the summary asks for.
    const isAsked = String(summary?.["next"]).includes("push the same file again");
    const open = fates.filter(
      ({ outcome, msg }) => !isSettled(outcome, msg) && !(isAsked && outcome === "notSent"),
    );
    if (code !== 8 && open.length > 0)
      life.find("untold", `exit ${code}, and ${JSON.stringify(open.slice(0, 3))}`);
    if (code === 8 && open.length === 0) life.find("untold", "exit 8, and no row is in doubt");
  }
  return fates;
}

/** True if nothing is left to do for a row. */
function isSettled(outcome: string, msg: string): boolean {
  return outcome === "accepted" || (outcome === "skipped" && !isDoubt(msg));
}

interface ResultLine {
  readonly file: string;
  readonly line: number;
  readonly outcome: string;
  readonly msg: string | null;
}

function matchRows(files: readonly NightFile[], text: string): readonly RowFate[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { file: path, line: number, outcome, msg } = JSON.parse(line) as ResultLine;
    const file = files.find(({ name }) => name === basename(path));
    const row = file?.rows[file.lines.indexOf(number)];
    return row === undefined ? [] : [{ file: path, row, outcome, msg: msg ?? "" }];
  });
}
