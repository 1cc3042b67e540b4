import type { RunEvent } from "../model/event.ts";
import { RecPushError, type Choice } from "../model/failure.ts";
import { showCount, showInteger } from "../model/quantities.ts";
import type { SurveyedInput } from "./survey-input.ts";

/** Lines named in a question. */
const MOST_NAMED = 4;

/** How many rows may be invalid with `skip`: a number of rows, or a percentage of the rows read. */
export type InvalidLimit = { readonly rows: number } | { readonly percent: number };

/**
 * The failure if invalid rows stop the run; the first of them are reported before. With `stop` any invalid row does;
 * with `skip`, if all rows are invalid or more than `limit`. The other invalid rows are reported when they are left
 * out, in the second pass.
 */
export function stopOnInvalidRows(
  inputs: readonly SurveyedInput[],
  onInvalid: "stop" | "skip",
  limit: InvalidLimit | undefined,
  emit: (event: RunEvent) => void,
): RecPushError | undefined {
  const invalid = inputs.reduce((sum, { report }) => sum + report.counts.invalid, 0);
  if (invalid === 0) return undefined;
  const rows = inputs.reduce((sum, { report }) => sum + report.counts.rows, 0);
  const isTooMany = onInvalid === "skip" && limit !== undefined && invalid > allowedRows(limit, rows);
  if (onInvalid === "skip" && invalid < rows && !isTooMany) return undefined;
  for (const input of inputs) tellInvalidRows(input, emit);
  if (onInvalid === "stop") {
    return new RecPushError("input", "invalid-rows", `${ofRows(invalid, rows)}; nothing was sent`, {
      hint: "mend them in the file, or leave them out with --on-invalid skip",
      ...askAboutTotals(inputs, invalid),
    });
  }
  if (isTooMany) {
    const allowed = "rows" in limit ? `${limit.rows}` : `${limit.percent}%`;
    return new RecPushError(
      "input",
      "too-many-invalid",
      `${ofRows(invalid, rows)}, more than --max-invalid ${allowed}; nothing was sent`,
      { hint: "mend them in the file, or raise --max-invalid if so many are expected" },
    );
  }
  return new RecPushError("refused", "all-rows-invalid", "every row is invalid; nothing was sent");
}

/** Reports the first invalid rows of an input, and how many there are of each problem. */
export function tellInvalidRows(
  { source: { name: file }, report }: SurveyedInput,
  emit: (event: RunEvent) => void,
): void {
  emit({ kind: "problems", file, groups: report.groups });
  for (const problem of report.problems) emit({ kind: "reject", file, problem });
}

/** The question to a person if nothing but totals is invalid. */
function askAboutTotals(
  inputs: readonly SurveyedInput[],
  invalid: number,
): { readonly choices: readonly Choice[] } | undefined {
  const found = inputs.flatMap(({ plan }) => (plan.suspects === undefined ? [] : [plan.suspects]));
  const suspects = found.reduce((sum, { count }) => sum + count, 0);
  if (suspects < invalid) return undefined;
  const areSparse = found.some(({ sparse }) => sparse > 0);
  // One answer would not settle rows of both kinds.
  if (areSparse && found.some(({ count, sparse }) => sparse < count)) return undefined;
  const lines = inputs.flatMap(({ report }) => report.problems.map(({ line }) => line));
  const named = `${lines.slice(0, MOST_NAMED).join(", ")}${suspects > MOST_NAMED ? " ..." : ""}`;
  const question =
    suspects === 1
      ? `line ${named} ${areSparse ? "is unlike all others: is it no row?" : "looks like a total: is it one?"}`
      : `${showCount(suspects, "row")} ${areSparse ? "are unlike all others" : "look like totals"} (lines ${named}): are they${areSparse ? " no rows" : ""}?`;
  const effects =
    suspects === 1 ? ["yes, leave it out", "no, send it"] : ["yes, leave them out", "no, send them"];
  const option = areSparse ? "--sparse" : "--totals";
  return { choices: [{ question, answers: [`${option} skip`, `${option} keep`], effects }] };
}

/** `1 of 1 row is invalid`, `2 of 1,203 rows are invalid` */
function ofRows(invalid: number, rows: number): string {
  return `${showInteger(invalid)} of ${showCount(rows, "row")} ${invalid === 1 ? "is" : "are"} invalid`;
}

function allowedRows(limit: InvalidLimit, rows: number): number {
  return "rows" in limit ? limit.rows : (rows * limit.percent) / 100;
}
