import { createReadStream } from "node:fs";
import type { Outcome } from "../model/counts.ts";
import { interruption } from "../model/interruption.ts";
import type { RecordKind } from "../model/settlement.ts";
import type { RunAccount, Standing } from "../store/count-run.ts";
import { PrivateFile } from "../store/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { PlainResults, RESULT_COLUMNS, type RowPieces } from "./plain-results.ts";
import type { OutcomeLog, RowLog, RowOutcome } from "./row-log.ts";
import { type LeftRow, type LoggedRecords, type PlainStretch, readPlain, readRows } from "./row-stretch.ts";

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

/**
 * The rows of other files in earlier results, in order: when the results of one run are brought up to date, these
 * rows are kept.
 */
class OtherResults {
  /** The delimiter of a CSV. */
  readonly delimiter: string | undefined;
  readonly #rows: AsyncIterator<string>;
  #held: string | undefined;

  private constructor(rows: AsyncIterator<string>, delimiter: string | undefined) {
    this.#rows = rows;
    this.delimiter = delimiter;
  }

  static async open(path: string, format: "csv" | "ndjson"): Promise<OtherResults> {
    const rows = rowsOf(createReadStream(path, "utf8"), format === "csv");
    if (format === "ndjson") return new OtherResults(rows, undefined);
    const header = await rows.next();
    const [first, second] = RESULT_COLUMNS;
    const found = new RegExp(`^\ufeff?${first}(.+?)${second}`).exec(header.done === true ? "" : header.value);
    return new OtherResults(rows, found?.[1]);
  }

  /** The rows before those of a file, whose rows begin with `head`; all rows if the file has none. */
  async *before(head: string): AsyncGenerator<string> {
    for (;;) {
      const row = await this.#next();
      if (row === undefined) return;
      if (row.startsWith(head)) {
        this.#held = row;
        return;
      }
      yield row;
    }
  }

  /** The rows after those of a file. */
  async *after(head: string): AsyncGenerator<string> {
    for (let row = await this.#next(); row !== undefined; row = await this.#next())
      if (!row.startsWith(head)) yield row;
  }

  async #next(): Promise<string | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    const { value, done } = await this.#rows.next();
    return done === true ? undefined : value;
  }
}

/** Rows with their line ends; a line end inside quotes does not end a CSV row. */
async function* rowsOf(text: AsyncIterable<string>, hasQuotes: boolean): AsyncGenerator<string> {
  let row = "";
  let isQuoted = false;
  for await (const piece of text) {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      if (hasQuotes && piece[at] === '"') isQuoted = !isQuoted;
      if (isQuoted || piece[at] !== "\n") continue;
      yield row + piece.slice(from, at + 1);
      row = "";
      from = at + 1;
    }
    row += piece.slice(from);
  }
  if (row !== "") yield row;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The last columns of a row: the outcome of its batch, or none for a row that was not sent. */
export type RowEnd = Partial<Omit<RowOutcome, "outcome">> & {
  readonly outcome: Outcome;
  readonly msg: string;
};

/** How the rows of one file are written; those of one batch share their last columns, which are formatted once. */
export interface RowFormat {
  readonly row: (
    line: number,
    key: string | undefined,
    identity: readonly (string | null)[] | undefined,
    end: RowEnd,
  ) => string;
  readonly pieces: RowPieces;
  /** The last columns and the line end, for a row without identity. */
  readonly end: (end: RowEnd) => string;
}

/** One line of JSON for each row. */
export function inJson(head: string, identity: readonly string[]): RowFormat {
  const formatEnd = once(
    ({ outcome, batch = null, status = null, msg, attempts = null }) =>
      `${JSON.stringify({ outcome, batch, status, msg, attempts }).slice(1)}\n`,
  );
  return {
    row(line, key, values = [], end) {
      const text = `${head}"line":${line},"cle":${JSON.stringify(key ?? null)},${formatEnd(end)}`;
      if (identity.length === 0) return text;
      const fields = Object.fromEntries(identity.map((field, at) => [field, values[at] ?? null]));
      return `${text.slice(0, -2)},"identity":${JSON.stringify(fields)}}\n`;
    },
    pieces: {
      beforeLine: `${head}"line":`,
      beforeKey: ',"cle":"',
      afterKey: '",',
      withoutKey: ',"cle":null,',
      mayHold: (byte) => byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH,
    },
    end: formatEnd,
  };
}

/** One line of CSV for each row. */
export function inCsv(head: string, delimiter: string, identity: readonly string[]): RowFormat {
  const quoted = (value: string | number | null | undefined): string =>
    quoteCell(String(value ?? ""), delimiter);
  const formatEnd = once(
    ({ outcome, batch, status, msg, attempts }) =>
      delimiter + [outcome, batch, status, msg, attempts].map(quoted).join(delimiter),
  );
  const isDelimiter = new Set(Buffer.from(delimiter));
  return {
    row(line, key, values = [], end) {
      const begin = `${head}${line}${delimiter}${key === undefined ? "" : quoteCell(key, delimiter)}`;
      const cells = identity.map((_, at) => delimiter + quoted(values[at])).join("");
      return `${begin}${formatEnd(end)}${cells}\r\n`;
    },
    pieces: {
      beforeLine: head,
      beforeKey: delimiter,
      afterKey: "",
      withoutKey: delimiter,
      mayHold: (byte, isFirst) =>
        !isDelimiter.has(byte) && (isFirst ? isWordByte(byte) : byte >= 0x20 && byte !== QUOTE),
    },
    end: (end) => `${formatEnd(end)}\r\n`,
  };
}

/** True for a byte with which no formula begins, so that nothing has to be put before it. */
function isWordByte(byte: number): boolean {
  return /[0-9A-Za-z]/.test(String.fromCharCode(byte));
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
  const safe = FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
  const isPlain = !/["\r\n]/.test(safe) && !safe.includes(delimiter);
  return isPlain ? safe : `"${safe.replaceAll('"', '""')}"`;
}
