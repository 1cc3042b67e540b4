import type { RunAccount } from "../journal/run-account.ts";
import { interruption } from "../model/interruption.ts";
import type { Outcome } from "../model/outcome.ts";
import { kindOf } from "../model/record.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { OutcomeLog, RowOutcome } from "./outcome-log.ts";
import { OtherResults } from "./other-results.ts";
import { quoteCell } from "./quote-cell.ts";
import { RESULT_COLUMNS } from "./results-head.ts";
import type { LoggedRow, RowLog } from "./row-log.ts";

/** Where the results are written. */
export interface ResultsPlace {
  readonly path: string;
  readonly format: "csv" | "ndjson";
  /** The fields of the identity (`--identify-by`), each with a column of its own. */
  readonly identity?: readonly string[] | undefined;
  /** Results of an earlier process of the run, from which the rows of other files are kept. */
  readonly previous?: string | undefined;
  /** The runs of the command that wrote them. */
  readonly runs?: readonly string[] | undefined;
}

/** The sources of the results. */
export interface ResultsSource {
  readonly inputs: readonly SurveyedInput[];
  readonly rows: RowLog;
  readonly outcomes: OutcomeLog;
  /** The accounts of the inputs whose runs are kept, by input. */
  readonly accounts: ReadonlyMap<number, RunAccount>;
  /** Set when the results are no longer waited for. */
  readonly abort: AbortSignal;
}

/** The last columns of a row: the outcome of its batch, or none for a row that was not sent. */
type RowEnd = Partial<Omit<RowOutcome, "outcome">> & {
  readonly outcome: Outcome;
  readonly msg: string;
};

/** Formats one row of a file. The rows of one batch share their last columns, which are formatted once. */
type FormatRow = (row: Pick<LoggedRow, "line" | "key" | "identity">, end: RowEnd) => string;

const NOT_SENT: RowEnd = { outcome: "notSent", msg: "" };

/** Writes one line for every row of every input, in file order. Throws an interruption once `abort` is set. */
export async function writeResults(
  source: ResultsSource,
  { path, format, identity = [], previous }: ResultsPlace,
  beforeCommit?: (sha256: string) => Promise<void>,
): Promise<void> {
  const { inputs, rows, abort } = source;
  const file = new PrivateFile(path, "results");
  // Spreadsheets expect the delimiter of their locale, which is most likely that of the input.
  const own = inputs.find(({ report }) => report.reading.dialect)?.report.reading.dialect?.delimiter ?? ",";
  const others = previous === undefined ? undefined : await OtherResults.open(previous, format);
  const delimiter = others?.delimiter ?? own;
  const write = (text: string): Promise<void> => file.write(Buffer.from(text));
  try {
    const columns = [...RESULT_COLUMNS, ...identity].map((name) => quoteCell(name, delimiter));
    // Without a byte order mark, spreadsheets read UTF-8 as a legacy code page.
    if (format === "csv") await write(`\ufeff${columns.join(delimiter)}\r\n`);
    for (const [
      input,
      {
        source: { name },
      },
    ] of inputs.entries()) {
      const head =
        format === "ndjson" ? `{"file":${JSON.stringify(name)},` : quoteCell(name, delimiter) + delimiter;
      for await (const text of others?.before(head) ?? []) await write(text);
      const formatRow =
        format === "ndjson" ? formatJson(head, identity) : formatCsv(head, delimiter, identity);
      for await (const logged of rows.read(input)) {
        if (abort.aborted) throw interruption();
        await write(await resultsOf(source, input, logged, formatRow));
      }
      for await (const text of others?.after(head) ?? []) await write(text);
    }
    await file.commit(async (sha256) => {
      await beforeCommit?.(sha256);
      return file.path;
    });
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

/**
 * The state from the journal overrides the last outcome: the user may have decided, or a process may have been
 * killed.
 */
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

function formatJson(head: string, identity: readonly string[]): FormatRow {
  const formatEnd = once(
    ({ outcome, batch = null, status = null, msg, attempts = null }) =>
      `${JSON.stringify({ outcome, batch, status, msg, attempts }).slice(1)}\n`,
  );
  return ({ line, key = null, identity: values = [] }, end) => {
    const text = `${head}"line":${line},"cle":${JSON.stringify(key)},${formatEnd(end)}`;
    if (identity.length === 0) return text;
    const fields = Object.fromEntries(identity.map((field, at) => [field, values[at] ?? null]));
    return `${text.slice(0, -2)},"identity":${JSON.stringify(fields)}}\n`;
  };
}

function formatCsv(head: string, delimiter: string, identity: readonly string[]): FormatRow {
  const quoted = (value: string | number | undefined): string => quoteCell(String(value ?? ""), delimiter);
  const formatEnd = once(({ outcome, batch, status, msg, attempts }) =>
    [outcome, batch, status, msg, attempts].map(quoted).join(delimiter),
  );
  return ({ line, key, identity: values = [] }, end) => {
    const cells = identity.map((_, at) => delimiter + quoted(values[at])).join("");
    return `${head}${line}${delimiter}${quoted(key)}${delimiter}${formatEnd(end)}${cells}\r\n`;
  };
}

function once(format: (end: RowEnd) => string): (end: RowEnd) => string {
  let last: RowEnd | undefined;
  let text = "";
  return (end) => {
    if (end !== last) text = format((last = end));
    return text;
  };
}
