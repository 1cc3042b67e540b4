import type { RunAccount } from "../journal/run-account.ts";
import { interruption } from "../model/interruption.ts";
import type { Outcome } from "../model/outcome.ts";
import { kindOf } from "../model/record.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { OutcomeLog, RowOutcome } from "./outcome-log.ts";
import { quoteCell } from "./quote-cell.ts";
import { RESULT_COLUMNS } from "./results-head.ts";
import type { LoggedRow, RowLog } from "./row-log.ts";

/** Where the results go. */
export interface ResultsPlace {
  readonly path: string;
  readonly format: "csv" | "ndjson";
}

/** The sources of the results. */
export interface ResultsSource {
  readonly inputs: readonly SurveyedInput[];
  readonly rows: RowLog;
  readonly outcomes: OutcomeLog;
  /** Of the inputs whose runs are kept. */
  readonly accounts: ReadonlyMap<number, RunAccount>;
  /** Set when they are not waited for any longer. */
  readonly abort: AbortSignal;
}

/** The outcome of one row in the results. */
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

/** Writes a line for every row of every input, in file order, each row once. Throws an interruption once `abort` is set. */
export async function writeResults(source: ResultsSource, { path, format }: ResultsPlace): Promise<void> {
  const { inputs, rows, abort } = source;
  const file = new PrivateFile(path, "results");
  // Spreadsheets expect the delimiter of the country, and the input has it.
  const delimiter = inputs.find(({ report }) => report.reading.dialect)?.report.reading.dialect?.delimiter;
  const formatRow = format === "ndjson" ? formatJson : csvFormatter(delimiter ?? ",");
  try {
    // Without the mark spreadsheets take UTF-8 for an old code page.
    if (format === "csv") await file.write(Buffer.from(`\ufeff${RESULT_COLUMNS.join(delimiter ?? ",")}\r\n`));
    for (const input of inputs.keys()) {
      for await (const logged of rows.read(input)) {
        if (abort.aborted) throw interruption();
        const results = await resultsOf(source, input, logged);
        await file.write(Buffer.from(results.map(formatRow).join("")));
      }
    }
    await file.commit();
  } finally {
    await file.discard();
  }
}

async function resultsOf(
  { inputs, outcomes, accounts }: ResultsSource,
  input: number,
  rows: readonly LoggedRow[],
): Promise<readonly Result[]> {
  const file = inputs[input]!.source.name;
  const account = accounts.get(input);
  const sent = rows.filter((row) => "ordinal" in row);
  const found = await outcomes.find(input, sent);
  let next = 0;
  return rows.map((row): Result => {
    const about = { file, line: row.line, cle: row.key };
    const unsent = { ...about, batch: undefined, status: undefined, attempts: undefined };
    if (!("ordinal" in row)) return { ...unsent, outcome: row.outcome, msg: row.msg };
    const last = found[next++];
    const outcome = account === undefined ? last : reconcile(account, row, last);
    return outcome === undefined ? { ...unsent, outcome: "notSent", msg: "" } : { ...about, ...outcome };
  });
}

/** The sum of the journal wins over the last outcome: the user may have decided, a process may have been killed. */
function reconcile(
  account: RunAccount,
  row: { readonly key: string | undefined; readonly ordinal: number },
  last: RowOutcome | undefined,
): RowOutcome | undefined {
  const standing = account.standingOf(kindOf(row), row.ordinal);
  if (standing === undefined) return last?.outcome === "failed" ? last : undefined;
  if (last?.outcome === standing) return last;
  const { batch = 0, status, attempts = 1 } = last ?? {};
  const msg = standing === "accepted" ? "taken as applied" : "sent, and what became of it is not known";
  return { batch, status, attempts, outcome: standing, msg };
}

function formatJson(result: Result): string {
  return `${JSON.stringify(result, (_, value: unknown) => value ?? null)}\n`;
}

function csvFormatter(delimiter: string): (result: Result) => string {
  return (result) => {
    const cells = RESULT_COLUMNS.map((name) => quoteCell(String(result[name] ?? ""), delimiter));
    return `${cells.join(delimiter)}\r\n`;
  };
}
