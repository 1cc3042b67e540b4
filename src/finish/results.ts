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

/** The end of a row: of a batch, or of no batch for a row that was not sent. */
type RowEnd = Partial<Omit<RowOutcome, "outcome">> & {
  readonly outcome: Outcome;
  readonly msg: string;
};

/** Formats one row of a file. Rows of one batch share their end, which is formatted once. */
type FormatRow = (row: Pick<LoggedRow, "line" | "key">, end: RowEnd) => string;

const NOT_SENT: RowEnd = { outcome: "notSent", msg: "" };

/** Writes a line for every row of every input, in file order, each row once. Throws an interruption once `abort` is set. */
export async function writeResults(source: ResultsSource, { path, format }: ResultsPlace): Promise<void> {
  const { inputs, rows, abort } = source;
  const file = new PrivateFile(path, "results");
  // Spreadsheets expect the delimiter of the country, and the input has it.
  const delimiter = inputs.find(({ report }) => report.reading.dialect)?.report.reading.dialect?.delimiter;
  const formatFor = format === "ndjson" ? formatJson : formatCsv;
  try {
    // Without the mark spreadsheets take UTF-8 for an old code page.
    if (format === "csv") await file.write(Buffer.from(`\ufeff${RESULT_COLUMNS.join(delimiter ?? ",")}\r\n`));
    for (const [
      input,
      {
        source: { name },
      },
    ] of inputs.entries()) {
      const formatRow = formatFor(name, delimiter ?? ",");
      for await (const logged of rows.read(input)) {
        if (abort.aborted) throw interruption();
        await file.write(Buffer.from(await resultsOf(source, input, logged, formatRow)));
      }
    }
    await file.commit();
  } finally {
    await file.discard();
  }
}

async function resultsOf(
  { outcomes, accounts }: ResultsSource,
  input: number,
  rows: readonly LoggedRow[],
  formatRow: FormatRow,
): Promise<string> {
  const account = accounts.get(input);
  const sent = rows.filter((row) => "ordinal" in row);
  const found = await outcomes.find(input, sent);
  let next = 0;
  let text = "";
  for (const row of rows) {
    let end: RowEnd | undefined;
    if ("ordinal" in row) {
      const last = found[next++];
      end = account === undefined ? last : reconcile(account, row, last);
    } else end = row;
    text += formatRow(row, end ?? NOT_SENT);
  }
  return text;
}

/** The sum of the journal wins over the last outcome: the user may have decided, a process may have been killed. */
function reconcile(
  account: RunAccount,
  row: { readonly key: string | undefined; readonly ordinal: number },
  last: RowOutcome | undefined,
): RowOutcome | undefined {
  const standing = account.standingOf(kindOf(row), row.ordinal);
  if (standing === "absent") return undefined;
  if (standing === undefined) return last?.outcome === "failed" ? last : undefined;
  if (last?.outcome === standing) return last;
  const { batch = 0, status, attempts = 1 } = last ?? {};
  const msg = standing === "accepted" ? "taken as applied" : "sent, and what became of it is not known";
  return { batch, status, attempts, outcome: standing, msg };
}

function formatJson(file: string): FormatRow {
  const head = `{"file":${JSON.stringify(file)},"line":`;
  const formatEnd = once(
    ({ outcome, batch = null, status = null, msg, attempts = null }) =>
      `${JSON.stringify({ outcome, batch, status, msg, attempts }).slice(1)}\n`,
  );
  return ({ line, key = null }, end) => `${head}${line},"cle":${JSON.stringify(key)},${formatEnd(end)}`;
}

function formatCsv(file: string, delimiter: string): FormatRow {
  const quoted = (value: string | number | undefined): string => quoteCell(String(value ?? ""), delimiter);
  const head = quoted(file) + delimiter;
  const formatEnd = once(
    ({ outcome, batch, status, msg, attempts }) =>
      `${[outcome, batch, status, msg, attempts].map(quoted).join(delimiter)}\r\n`,
  );
  return ({ line, key }, end) => head + line + delimiter + quoted(key) + delimiter + formatEnd(end);
}

function once(format: (end: RowEnd) => string): (end: RowEnd) => string {
  let last: RowEnd | undefined;
  let text = "";
  return (end) => {
    if (end !== last) text = format((last = end));
    return text;
  };
}
