import type { Outcome } from "../model/outcome.ts";
import { quoteCell } from "./quote-cell.ts";
import { PrivateFile } from "../state/private-file.ts";
import { rejectionOf } from "./rejection.ts";
import { reviewOutcomes, type JudgedRow, type Review } from "./review-rejects.ts";
import { RESULT_COLUMNS } from "./results-head.ts";

/** Where the results go. */
export interface ResultsPlace {
  readonly path: string;
  readonly format: "csv" | "ndjson";
}

/** What became of one row, as the results tell it. */
interface Result {
  readonly file: string;
  readonly line: number;
  readonly cle: string | undefined;
  readonly outcome: Outcome;
  readonly batch: number | undefined;
  readonly status: number | undefined;
  readonly msg: string;
  readonly attempts: number | undefined;
}

/**
 * Writes a line for every row of every input, in file order, each row once: one more pass over the inputs, because
 * outcomes come in the order of settling and rows that were never sent have none.
 */
export async function writeResults(review: Review, { path, format }: ResultsPlace): Promise<void> {
  const file = new PrivateFile(path, "results");
  // Spreadsheets expect the delimiter of the country, and the input has it.
  const delimiter = review.inputs.find(({ report }) => report.reading.dialect)?.report.reading.dialect
    ?.delimiter;
  const spell = format === "ndjson" ? spellJson : csvSpeller(delimiter ?? ",");
  try {
    // Without the mark spreadsheets take UTF-8 for an old code page.
    if (format === "csv") await file.write(Buffer.from(`\ufeff${RESULT_COLUMNS.join(delimiter ?? ",")}\r\n`));
    for (const [input, { source }] of review.inputs.entries()) {
      for await (const rows of reviewOutcomes(review, input)) {
        await file.write(Buffer.from(rows.map((row) => spell(resultOf(source.name, row))).join("")));
      }
    }
    await file.commit();
  } finally {
    await file.discard();
  }
}

function resultOf(file: string, { row, told, leftOut }: JudgedRow): Result {
  const { line, key, record, problems, skipped } = row;
  const about = { file, line, cle: key };
  if (told !== undefined) {
    const { outcome, batch, status, msg, attempts } = told;
    return { ...about, outcome, batch, status, msg, attempts };
  }
  const unsent = { ...about, batch: undefined, status: undefined, attempts: undefined };
  if (leftOut === "file") return { ...unsent, outcome: "skipped", msg: "its file was pushed before" };
  if (leftOut === "created") return { ...unsent, outcome: "skipped", msg: "it was created before" };
  if (problems !== undefined) {
    const { field, reason } = rejectionOf(line, problems);
    return { ...unsent, outcome: "rejected", msg: field === "" ? reason : `${field}: ${reason}` };
  }
  if (record !== undefined) return { ...unsent, outcome: "notSent", msg: "" };
  const msg = skipped === "repeated" ? "a later row has the same key" : "nothing to send";
  return { ...unsent, outcome: "skipped", msg };
}

function spellJson(result: Result): string {
  return `${JSON.stringify(result, (_, value: unknown) => value ?? null)}\n`;
}

function csvSpeller(delimiter: string): (result: Result) => string {
  return (result) => {
    const cells = RESULT_COLUMNS.map((name) => quoteCell(String(result[name] ?? ""), delimiter));
    return `${cells.join(delimiter)}\r\n`;
  };
}
