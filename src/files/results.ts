import type { Outcome } from "../model/counts.ts";
import { interruption } from "../model/failure.ts";
import { type ChunkRecords, type PreparedRecord, recordAt, recordJson } from "../model/settlement.ts";
import type { LeftOutReason, SelectedChunk } from "../prepare/stream.ts";
import type { RunAccount, Standing } from "../store/count-run.ts";
import { PrivateFile } from "../store/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { rejectionOf, type OutcomeLog, type RowOutcome } from "./outcome-log.ts";

/** Where the results are written. */
export interface ResultsPlace {
  readonly path: string;
  readonly format: "csv" | "ndjson";
  /** The fields of the identity (`--identify-by`), each with a column of its own. */
  readonly identity?: readonly string[] | undefined;
}

/** The sources of the results. */
export interface ResultsSource {
  readonly inputs: readonly SurveyedInput[];
  /** Reads the rows of an input once more; rows without a record say why they were not sent. */
  readonly chunksOf: (input: number) => AsyncIterable<SelectedChunk>;
  /** The inputs of which nothing was sent, because they were pushed before. */
  readonly earlier: ReadonlyMap<number, { readonly hasRejects: boolean }>;
  readonly outcomes: OutcomeLog;
  /** The accounts of the inputs whose runs are kept, by input. */
  readonly accounts: ReadonlyMap<number, RunAccount>;
  /** Set when the results are no longer waited for. */
  readonly abort: AbortSignal;
}

/** The columns of the results, in their order. */
const RESULT_COLUMNS = ["file", "line", "cle", "outcome", "batch", "status", "msg", "attempts"] as const;

const NOT_SENT: RowEnd = { outcome: "notSent", msg: "" };

/** Writes one line for every row of every input, in file order. Throws an interruption once `abort` is set. */
export async function writeResults(
  source: ResultsSource,
  { path, format, identity = [] }: ResultsPlace,
  beforeCommit?: (sha256: string) => Promise<void>,
): Promise<void> {
  const { inputs, chunksOf, abort } = source;
  const file = new PrivateFile(path, "results");
  // Spreadsheets expect the delimiter of their locale, which is most likely that of the input.
  const delimiter =
    inputs.find(({ report }) => report.reading.dialect)?.report.reading.dialect?.delimiter ?? ",";
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
      const written = format === "ndjson" ? inJson(head, identity) : inCsv(head, delimiter, identity);
      const writer = new ResultsWriter(source, input, written, identity);
      for await (const chunk of chunksOf(input)) {
        if (abort.aborted) throw interruption();
        await write(await writer.rowsOf(chunk));
      }
    }
    await file.commit(async (sha256) => {
      await beforeCommit?.(sha256);
      return file.path;
    });
  } finally {
    await file.discard();
  }
}

const OVERTAKEN: RowEnd = { outcome: "skipped", msg: "later rows with its key gave all its fields" };

const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, "settled">, string>> = {
  repeated: "a later row has the same key",
  created: "it was created before",
  inDoubt: "an earlier push left it in doubt: sent, and what became of it is not known",
  changed: "it was created before with other values",
  overtaken: OVERTAKEN.msg,
};

/** The result of a row that is not sent, and where the row is. */
interface PlacedResult {
  readonly start: number;
  readonly text: string;
}

/** Makes the results of the rows of one input. */
class ResultsWriter {
  readonly #outcomes: OutcomeLog;
  readonly #account: RunAccount | undefined;
  readonly #earlier: { readonly hasRejects: boolean } | undefined;
  readonly #input: number;
  readonly #row: RowFormat;
  readonly #identity: readonly string[];

  constructor(
    { outcomes, accounts, earlier }: ResultsSource,
    input: number,
    format: RowFormat,
    identity: readonly string[],
  ) {
    this.#outcomes = outcomes;
    this.#account = accounts.get(input);
    this.#earlier = earlier.get(input);
    this.#input = input;
    this.#row = format;
    this.#identity = identity;
  }

  /** The results of consecutive rows, in file order. */
  async rowsOf({ records, rejected, empty, leftOut }: SelectedChunk): Promise<string> {
    const others: PlacedResult[] = [
      ...leftOut.map(({ record, why }) => this.#leftOut(record, why)),
      ...rejected.map(({ start, line, key, problems }) => {
        const { field, reason } = rejectionOf(problems);
        const msg = field === "" ? reason : `${field}: ${reason}`;
        const end =
          this.#earlier?.hasRejects === false ? PUSHED_BEFORE : { outcome: "rejected" as const, msg };
        return { start, text: this.#row(line, key, undefined, end) };
      }),
      ...empty.map(({ start, line }) => {
        const end = this.#earlier === undefined ? NOTHING : PUSHED_BEFORE;
        return { start, text: this.#row(line, undefined, undefined, end) };
      }),
    ].sort((one, other) => one.start - other.start);
    let text = "";
    let next = 0;
    for (const { of, from, to } of records.stretches) {
      for (let index = from; index < to; index++) {
        for (; next < others.length && others[next]!.start < of.rowStart(index); next++)
          text += others[next]!.text;
        const identity = this.#identity.length === 0 ? undefined : this.#identityOf(recordAt(of, index));
        const found = this.#endOf(of, index);
        const end = found instanceof Promise ? await found : found;
        text += this.#row(of.line(index), of.key(index), identity, end);
      }
    }
    for (; next < others.length; next++) text += others[next]!.text;
    return text;
  }

  #leftOut(record: PreparedRecord, why: LeftOutReason): PlacedResult {
    const { line, key, rowStart: start } = record;
    // A settled record stays in: this pass reports its outcome.
    const reason = why === "settled" ? "" : LEFT_OUT[why];
    const msg = why === "repeated" && key === undefined ? "a later row has the same identity" : reason;
    const end = this.#earlier === undefined ? { outcome: "skipped" as const, msg } : PUSHED_BEFORE;
    return { start, text: this.#row(line, key, this.#identityOf(record), end) };
  }

  #identityOf(record: PreparedRecord): readonly (string | null)[] | undefined {
    if (this.#identity.length === 0) return undefined;
    const fields = JSON.parse(recordJson(record)) as Readonly<Record<string, string>>;
    return this.#identity.map((field) => fields[field] ?? null);
  }

  #endOf(of: ChunkRecords, index: number): RowEnd | Promise<RowEnd> {
    if (this.#earlier !== undefined) return PUSHED_BEFORE;
    const [kind, ordinal] = [of.kind(index), of.ordinal(index)];
    const end = (last: RowOutcome | undefined): RowEnd => {
      const account = this.#account;
      return (account === undefined ? last : reconcile(account.standingOf(kind, ordinal), last)) ?? NOT_SENT;
    };
    const found = this.#outcomes.find(this.#input, kind, ordinal);
    return found instanceof Promise ? found.then(end) : end(found);
  }
}

const NOTHING: RowEnd = { outcome: "skipped", msg: "nothing to send" };
const PUSHED_BEFORE: RowEnd = { outcome: "skipped", msg: "its file was pushed before" };

/**
 * The state from the journal overrides the last outcome: the user may have decided, or a process may have been
 * killed.
 */
function reconcile(standing: Standing | undefined, last: RowOutcome | undefined): RowEnd | undefined {
  if (standing === "absent") return undefined;
  if (standing === "overtaken") return OVERTAKEN;
  if (standing === undefined) return last?.outcome === "failed" ? last : undefined;
  if (last?.outcome === standing) return last;
  const { batch = 0, status, attempts = 1 } = last ?? {};
  const msg = standing === "accepted" ? "taken as applied" : "sent, and what became of it is not known";
  return { batch, status, attempts, outcome: standing, msg };
}

/** The last columns of a row: the outcome of its batch, or none for a row that was not sent. */
type RowEnd = Partial<Omit<RowOutcome, "outcome">> & {
  readonly outcome: Outcome;
  readonly msg: string;
};

/** Writes a row of one file; those of one batch share their last columns, which are formatted once. */
type RowFormat = (
  line: number,
  key: string | undefined,
  identity: readonly (string | null)[] | undefined,
  end: RowEnd,
) => string;

/** One line of JSON for each row. */
function inJson(head: string, identity: readonly string[]): RowFormat {
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

/** One line of CSV for each row. */
function inCsv(head: string, delimiter: string, identity: readonly string[]): RowFormat {
  const quoted = (value: string | number | null | undefined): string =>
    quoteCell(String(value ?? ""), delimiter);
  const formatEnd = once(
    ({ outcome, batch, status, msg, attempts }) =>
      delimiter + [outcome, batch, status, msg, attempts].map(quoted).join(delimiter),
  );
  return (line, key, values = [], end) => {
    const begin = `${head}${line}${delimiter}${key === undefined ? "" : quoteCell(key, delimiter)}`;
    const cells = identity.map((_, at) => delimiter + quoted(values[at])).join("");
    return `${begin}${formatEnd(end)}${cells}\r\n`;
  };
}

/** Formats each end once: updates and creates have different ones, and follow each other in any order. */
function once(format: (end: RowEnd) => string): (end: RowEnd) => string {
  const texts = new WeakMap<RowEnd, string>();
  return (end) => {
    let text = texts.get(end);
    if (text === undefined) texts.set(end, (text = format(end)));
    return text;
  };
}

/** The characters with which a spreadsheet formula begins, with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** A cell of a CSV for spreadsheets (RFC 4180): quoted where necessary, and never read as a formula. */
export function quoteCell(text: string, delimiter: string): string {
  // Nearly every key and number is plain.
  if (/^\w+$/.test(text) && !text.includes(delimiter)) return text;
  const safe = FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
  const isPlain = !/["\r\n]/.test(safe) && !safe.includes(delimiter);
  return isPlain ? safe : `"${safe.replaceAll('"', '""')}"`;
}

/**
 * The first bytes that are read: a file's name takes at most six characters a byte, and everything else before it is short.
 */
export const RESULTS_HEAD_BYTES = 65_536;

/** True for the first bytes of a file that holds results: the header of the CSV, or the members of the first object. */
export function beginsResults(head: Buffer): boolean {
  const text = head.toString("utf8").replace(/^\ufeff/, "");
  // The key is not read to its end, because it may be longer than the head.
  if (/^\{"file":"(?:[^"\\]|\\.)*","line":\d+,"cle":(?:null,"outcome":"|")/.test(text)) return true;
  const [, delimiter = ","] = /^file(.+?)line/.exec(text) ?? [];
  const [header = ""] = text.split(/\r?\n/, 1);
  return `${header}${delimiter}`.startsWith(`${RESULT_COLUMNS.join(delimiter)}${delimiter}`);
}
