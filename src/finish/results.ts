import type { RunAccount } from "../journal/run-account.ts";
import type { Standing } from "../journal/standings.ts";
import { interruption } from "../model/interruption.ts";
import type { RecordKind } from "../model/record.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { OutcomeLog, RowOutcome } from "./outcome-log.ts";
import { OtherResults } from "./other-results.ts";
import { quoteCell } from "./quote-cell.ts";
import { inCsv, inJson, type RowEnd, type RowFormat } from "./results-format.ts";
import { RESULT_COLUMNS } from "./results-head.ts";
import { PlainResults } from "./plain-results.ts";
import type { RowLog } from "./row-log.ts";
import { readPlain, readRows, type LeftRow, type LoggedRecords, type PlainStretch } from "./row-stretch.ts";

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

const TAB = 0x09;
const LINE_FEED = 0x0a;

const NOT_SENT: RowEnd = { outcome: "notSent", msg: "" };
const NO_END: { readonly end: RowEnd | undefined; readonly bytes: Buffer } = {
  end: undefined,
  bytes: Buffer.alloc(0),
};

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
      const written = format === "ndjson" ? inJson(head, identity) : inCsv(head, delimiter, identity);
      const writer = new ResultsWriter(source, input, written);
      for await (const lines of rows.read(input)) {
        if (abort.aborted) throw interruption();
        for await (const some of writer.rowsOf(lines)) await file.write(some);
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

/** Makes the results of the rows of one input. */
class ResultsWriter {
  readonly #outcomes: OutcomeLog;
  readonly #account: RunAccount | undefined;
  readonly #input: number;
  readonly #format: RowFormat;
  readonly #rows: PlainResults;
  /** The ends that came last, as bytes. */
  readonly #ends = { update: NO_END, create: NO_END };

  constructor({ outcomes, accounts }: ResultsSource, input: number, format: RowFormat) {
    this.#outcomes = outcomes;
    this.#account = accounts.get(input);
    this.#input = input;
    this.#format = format;
    this.#rows = new PlainResults(format.pieces);
  }

  /** The results of logged lines, in pieces that last until the next one is asked for. */
  async *rowsOf(lines: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < lines.length;) {
      const end = lines.indexOf(LINE_FEED, at);
      const plain = readPlain(lines, at);
      if (plain === undefined) await this.#addRows(readRows(lines.toString("utf8", at, end)));
      else if (plain.creates > 0) await this.#addCreates(plain);
      else await this.#addUpdates(plain, lines, end);
      at = end + 1;
      if (this.#rows.isFull || at >= lines.length) yield this.#rows.take();
    }
  }

  async #addCreates({ firstLine, linesApart, firstOrdinal, creates }: PlainStretch): Promise<void> {
    for (let at = 0; at < creates; at++) {
      const found = this.#outcomes.find(this.#input, "create", firstOrdinal + at);
      const end = this.#endOf("create", firstOrdinal + at, found instanceof Promise ? await found : found);
      this.#rows.addCreate(firstLine + at * linesApart, this.#bytesOf("create", end));
    }
  }

  /** `to`: the end of the line in `lines`. */
  async #addUpdates(
    { firstLine, linesApart, firstOrdinal, at: first }: PlainStretch,
    lines: Buffer,
    to: number,
  ): Promise<void> {
    let line = firstLine;
    let ordinal = firstOrdinal;
    for (let tab = first; tab < to; line += linesApart, ordinal++) {
      const from = tab + 1;
      for (tab = from; tab < to && lines[tab] !== TAB;) tab++;
      const found = this.#outcomes.find(this.#input, "update", ordinal);
      const end = this.#endOf("update", ordinal, found instanceof Promise ? await found : found);
      if (!this.#rows.addUpdate(line, lines, from, tab, this.#bytesOf("update", end)))
        this.#rows.addText(this.#format.row(line, lines.toString("utf8", from, tab), undefined, end));
    }
  }

  async #addRows(rows: LoggedRecords | LeftRow): Promise<void> {
    const { row } = this.#format;
    if ("outcome" in rows) {
      this.#rows.addText(row(rows.line, rows.key, rows.identity, rows));
      return;
    }
    const { kind, count, firstOrdinal, firstLine, linesApart, keys, identities } = rows;
    for (let at = 0; at < count; at++) {
      const end = this.#endOf(
        kind,
        firstOrdinal + at,
        await this.#outcomes.find(this.#input, kind, firstOrdinal + at),
      );
      this.#rows.addText(row(firstLine + at * linesApart, keys?.[at], identities?.[at], end));
    }
  }

  #endOf(kind: RecordKind, ordinal: number, last: RowOutcome | undefined): RowEnd {
    const account = this.#account;
    return (account === undefined ? last : reconcile(account.standingOf(kind, ordinal), last)) ?? NOT_SENT;
  }

  #bytesOf(kind: RecordKind, end: RowEnd): Buffer {
    if (this.#ends[kind].end !== end) this.#ends[kind] = { end, bytes: Buffer.from(this.#format.end(end)) };
    return this.#ends[kind].bytes;
  }
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
