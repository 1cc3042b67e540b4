import type { RunAccount } from "../journal/run-account.ts";
import type { Standing } from "../journal/standings.ts";
import { interruption } from "../model/interruption.ts";
import type { Outcome } from "../model/outcome.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { OutcomeLog, RowOutcome } from "./outcome-log.ts";
import { OtherResults } from "./other-results.ts";
import { quoteCell } from "./quote-cell.ts";
import { RESULT_COLUMNS } from "./results-head.ts";
import type { RowLog } from "./row-log.ts";
import type { LeftRow, LoggedRecords } from "./row-stretch.ts";

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
type FormatRow = (
  line: number,
  key: string | undefined,
  identity: readonly (string | null)[] | undefined,
  end: RowEnd,
) => string;

/** The length of text to be written at once, in UTF-16 units. */
const TEXT_UNITS = 16_384;

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
  const write = (text: string): Promise<void> => file.write(text);
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
        for await (const text of resultsOf(source, input, logged, formatRow)) await write(text);
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

async function* resultsOf(
  { outcomes, accounts }: ResultsSource,
  input: number,
  logged: readonly (LoggedRecords | LeftRow)[],
  formatRow: FormatRow,
): AsyncGenerator<string> {
  const account = accounts.get(input);
  let text = "";
  for (const rows of logged) {
    if ("outcome" in rows) text += formatRow(rows.line, rows.key, rows.identity, rows);
    else {
      const { kind, count, firstOrdinal, firstLine, linesApart, keys, identities } = rows;
      for (let at = 0; at < count; at += 1) {
        const found = outcomes.find(input, kind, firstOrdinal + at);
        const last = found instanceof Promise ? await found : found;
        const end =
          account === undefined ? last : reconcile(account.standingOf(kind, firstOrdinal + at), last);
        text += formatRow(firstLine + at * linesApart, keys?.[at], identities?.[at], end ?? NOT_SENT);
      }
    }
    // Until it is written, text is many small pieces, which a collection of garbage would have to move.
    if (text.length < TEXT_UNITS) continue;
    yield text;
    text = "";
  }
  yield text;
}

/**
 * The state from the journal overrides the last outcome: the user may have decided, or a process may have been
 * killed.
 */
function reconcile(standing: Standing | undefined, last: RowOutcome | undefined): RowOutcome | undefined {
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
  return (line, key, values = [], end) => {
    const text = `${head}"line":${line},"cle":${JSON.stringify(key ?? null)},${formatEnd(end)}`;
    if (identity.length === 0) return text;
    const fields = Object.fromEntries(identity.map((field, at) => [field, values[at] ?? null]));
    return `${text.slice(0, -2)},"identity":${JSON.stringify(fields)}}\n`;
  };
}

function formatCsv(head: string, delimiter: string, identity: readonly string[]): FormatRow {
  const quoted = (value: string | number | null | undefined): string =>
    quoteCell(String(value ?? ""), delimiter);
  const formatEnd = once(
    ({ outcome, batch, status, msg, attempts }) =>
      delimiter + [outcome, batch, status, msg, attempts].map(quoted).join(delimiter),
  );
  const begin = (line: number, key: string | undefined): string =>
    `${head}${line}${delimiter}${key === undefined ? "" : quoteCell(key, delimiter)}`;
  if (identity.length === 0) return (line, key, _, end) => `${begin(line, key)}${formatEnd(end)}\r\n`;
  return (line, key, values = [], end) => {
    const cells = identity.map((_, at) => delimiter + quoted(values[at])).join("");
    return `${begin(line, key)}${formatEnd(end)}${cells}\r\n`;
  };
}

/** Formats each end once: updates and creates have different ones, and follow each other in any order. */
function once(format: (end: RowEnd) => string): (end: RowEnd) => string {
  const texts = new WeakMap<RowEnd, string>();
  return (end) => {
    const text = texts.get(end) ?? format(end);
    texts.set(end, text);
    return text;
  };
}
