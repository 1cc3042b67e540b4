import { join } from "node:path";
import type { Outcome } from "../model/counts.ts";
import { interruption } from "../model/failure.ts";
import type { RejectedRow, RowProblem } from "../model/rows.ts";
import type { PreparedRecord, RecordKind, Settlement } from "../model/settlement.ts";
import { showText } from "../model/text.ts";
import { type LeftOutReason, type SelectedChunk, stream, type StreamOptions } from "../prepare/stream.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { RunAccount } from "../store/count-run.ts";
import { readJournal } from "../store/journal.ts";
import type { NumberRange } from "../store/number-ranges.ts";
import { Spill } from "../store/spill.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** The outcome of a record. */
type RowOutcome = Omit<Settlement, "kind" | "ordinals">;

/** How a row ended: the outcome of its batch, or why it was in none. */
export type RowEnd = Partial<Omit<RowOutcome, "outcome">> & {
  readonly outcome: Outcome;
  readonly msg: string;
};

/** A row of an input, and how it ended. */
export interface EndedRow {
  readonly line: number;
  /** See {@link RejectedRow}. */
  readonly start: number;
  readonly end: number;
  readonly record?: PreparedRecord;
  readonly rejected?: RejectedRow;
  readonly how: RowEnd;
}

/** The inputs of a command, and how they are read. */
interface ReadInputs {
  readonly inputs: readonly SurveyedInput[];
  readonly read: StreamOptions["read"];
  /** Makes the records of an input, where that is worth a thread. */
  readonly makers?: RecordMakers | undefined;
  /** Set when the files of the command are no longer waited for. */
  readonly abort: AbortSignal;
}

/**
 * How the rows of a command ended. What the service said of records is kept in private files; everything else is found by reading
 * the inputs once more, for each file that is made from them.
 */
export class RowEnds {
  /** By input: why some of its creates are left out. */
  readonly whyLeftOut = new Map<number, StreamOptions["whyLeftOut"]>();
  /** The inputs of which nothing was sent, because they were pushed before. */
  readonly earlier = new Map<number, { readonly leftIn?: string | undefined; readonly isTwin: boolean }>();
  /** The accounts of the inputs whose runs are kept. */
  readonly accounts = new Map<number, RunAccount>();
  readonly #of: ReadInputs;
  readonly #outcomes: Readonly<Record<RecordKind, RowLog<RowOutcome>>>;
  readonly #refused = new Set<number>();

  /** `directory` is private, and removed by the caller. */
  constructor(of: ReadInputs, directory: string) {
    this.#of = of;
    this.#outcomes = { update: new RowLog(directory), create: new RowLog(directory) };
  }

  /** `at` counts the inputs of the command from 0. */
  add(at: number, { kind, ordinals, batch, outcome, status, msg, attempts }: Settlement): void {
    for (const range of ordinals)
      this.#outcomes[kind].add(at, range, { batch, outcome, status, msg, attempts });
    if (outcome === "refused") this.#refused.add(at);
  }

  /** To be awaited from time to time between additions. */
  async settle(): Promise<void> {
    await this.#outcomes.update.settle();
    await this.#outcomes.create.settle();
  }

  /** Adds what earlier processes of the run in a directory settled; failed records are sent again. */
  async takeUp(at: number, directory: string): Promise<void> {
    await readJournal(join(directory, "journal"), (entry) => {
      if (entry.entry === "outcome" && entry.outcome !== "failed") this.add(at, entry);
    });
    await this.settle();
  }

  /** True if the service refused a record of an input. */
  hasRefused(at: number): boolean {
    return this.#refused.has(at);
  }

  /** The rows of an input in file order, several at a time. Throws an interruption once `abort` is set. */
  async *rows(at: number): AsyncGenerator<readonly EndedRow[]> {
    const { inputs, read, makers, abort } = this.#of;
    const whyLeftOut = this.whyLeftOut.get(at);
    const account = this.accounts.get(at);
    const chunks = stream(inputs[at]!, {
      read,
      chunks: makers?.chunks(inputs[at]!),
      // The outcome of a create counts more than the reason why another push would leave it out.
      whyLeftOut: (ordinal) =>
        account?.standingOf("create", ordinal) === undefined ? whyLeftOut?.(ordinal) : undefined,
    });
    for await (const chunk of chunks) {
      if (abort.aborted) throw interruption();
      yield await this.#rowsOf(at, chunk);
    }
  }

  async #rowsOf(
    at: number,
    { records, rejected, empty, leftOut }: SelectedChunk,
  ): Promise<readonly EndedRow[]> {
    const earlier = this.earlier.get(at);
    const before = earlier && (earlier.isTwin ? TWIN : PUSHED_BEFORE);
    const rows: EndedRow[] = empty.map(({ line, start }) => ({
      line,
      start,
      end: start,
      how: before ?? NOTHING,
    }));
    for (const row of rejected) {
      const { line, start, end, problems } = row;
      const { field, reason } = rejectionOf(problems);
      const how = { outcome: "rejected" as const, msg: field === "" ? reason : `${field}: ${reason}` };
      rows.push({
        line,
        start,
        end,
        rejected: row,
        how: before !== undefined && earlier?.leftIn === undefined ? before : how,
      });
    }
    for (const { record, why } of leftOut) rows.push(rowOf(record, before ?? leftOutAs(record, why)));
    for (const record of records) {
      const { kind, ordinal } = record;
      const found = this.#outcomes[kind].find(at, ordinal);
      const last = found instanceof Promise ? await found : found;
      rows.push(rowOf(record, before ?? endOf(record, this.accounts.get(at), last)));
    }
    return rows.sort((one, other) => one.start - other.start);
  }
}

function rowOf(record: PreparedRecord, how: RowEnd): EndedRow {
  return { line: record.line, start: record.rowStart, end: record.rowEnd, record, how };
}

const NOT_SENT: RowEnd = { outcome: "notSent", msg: "" };
const NOTHING: RowEnd = { outcome: "skipped", msg: "nothing to send" };
const PUSHED_BEFORE: RowEnd = { outcome: "skipped", msg: "its file was pushed before" };
const TWIN: RowEnd = { outcome: "skipped", msg: "an earlier file of the command has the same content" };
const OVERTAKEN: RowEnd = { outcome: "skipped", msg: "later rows with its key gave all its fields" };
const UNANSWERED = "sent, and what became of it is not known";

const LEFT_OUT: Readonly<Partial<Record<LeftOutReason, string>>> = {
  repeated: "a later row has the same key",
  created: "it was created before",
  inDoubt: "an earlier push left it in doubt: sent, and what became of it is not known",
  changed: "it was created before with other values",
};

function leftOutAs({ kind }: PreparedRecord, why: LeftOutReason): RowEnd {
  const isByIdentity = why === "repeated" && kind === "create";
  return { outcome: "skipped", msg: isByIdentity ? "a later row has the same identity" : LEFT_OUT[why]! };
}

/**
 * The state from the journal overrides the last outcome: the user may have decided, or a process may have been
 * killed.
 */
function endOf(
  { kind, ordinal }: PreparedRecord,
  account: RunAccount | undefined,
  last: RowOutcome | undefined,
): RowEnd {
  if (account === undefined) return last ?? NOT_SENT;
  const standing = account.standingOf(kind, ordinal);
  if (standing === "absent") return NOT_SENT;
  if (standing === "overtaken") return OVERTAKEN;
  if (standing === undefined) return last?.outcome === "failed" ? last : NOT_SENT;
  const batch = standing === "inDoubt" ? account.batchInDoubt(ordinal) : last?.batch;
  if (last?.outcome === standing && last.batch === batch) return last;
  const { status, attempts = 1 } = last ?? {};
  const msg = standing === "accepted" ? "taken as applied" : UNANSWERED;
  return { batch: batch ?? 0, status, attempts, outcome: standing, msg };
}

/** A longer reason would say nothing more. */
const MAX_REASON = 1_000;

/** Why a person has to see a row. */
interface Rejection {
  /** The fields or headers at fault; empty if the row as a whole is. Of a row in doubt, the number of its batch. */
  readonly field: string;
  readonly reason: string;
}

/** `the service refused it (422): unknown state` */
export function describeRefusal({ status, msg }: Pick<RowEnd, "status" | "msg">): string {
  return `the service refused it (${status ?? "no answer"}): ${msg}`;
}

/** The reason in the rejects file; `undefined` for a row that is not to be mended. */
export function whyRejected({ rejected, how }: EndedRow): Rejection | undefined {
  if (how.outcome === "refused") return { field: "", reason: showText(describeRefusal(how), MAX_REASON) };
  return rejected && rejectionOf(rejected.problems);
}

/** The reason in the file of rows in doubt; `undefined` for other rows. */
export function whyInDoubt({ how: { outcome, batch, msg } }: EndedRow): Rejection | undefined {
  if (outcome !== "inDoubt") return undefined;
  const reason = msg === UNANSWERED ? "rec-push was stopped before the answer came" : msg;
  return { field: String(batch), reason: showText(`sent, perhaps applied: ${reason}`, MAX_REASON) };
}

function rejectionOf(problems: readonly RowProblem[]): Rejection {
  const fields = problems.map(({ field, header, column }) => field ?? header ?? column?.toString() ?? "");
  const isOne = problems.length === 1;
  const reasons = problems.map(({ reason, hint }, at) => {
    const lead = isOne || fields[at] === "" ? "" : `${fields[at]}: `;
    return `${lead}${reason}${hint === undefined ? "" : ` (${hint})`}`;
  });
  return {
    field: showText([...new Set(fields)].filter((field) => field !== "").join(", "), MAX_REASON),
    reason: showText(reasons.join("; "), MAX_REASON),
  };
}

/** Rows whose values are held in memory at once when they are read back; a parameter for tests only. */
const BLOCK_ROWS = 1_048_576;
/** One partition per block. */
const BLOCKS_OF_INPUT = 2 ** 32;

/**
 * A value for each of many rows of the inputs of a command, in private files, read back in the order of the rows. If a row has
 * several values, the last one counts.
 */
export class RowLog<Value> {
  readonly #spill: Spill;
  readonly #blockRows: number;
  /** The block that was read last, and its values. */
  #partition = -1;
  #values: Value[] = [];
  /** By row of the block: the index of its value, counted from 1. */
  #of = new Int32Array(0);

  constructor(directory: string, blockRows = BLOCK_ROWS) {
    this.#spill = new Spill(directory);
    this.#blockRows = blockRows;
  }

  /** `input` counts the inputs of the command from 0; the rows have numbers that rise with their place. */
  add(input: number, [first, last]: NumberRange, value: Value): void {
    this.#partition = -1;
    for (let from = first; from <= last;) {
      const block = Math.floor(from / this.#blockRows);
      const to = Math.min(last, (block + 1) * this.#blockRows - 1);
      this.#spill.add(input * BLOCKS_OF_INPUT + block, JSON.stringify([from, to, value]));
      from = to + 1;
    }
  }

  /** To be awaited from time to time between additions. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /**
   * The value of a row, if it has one; rows are to be asked for in order. A promise only where a block has to be read first, because
   * nearly every row needs no wait.
   */
  find(input: number, row: number): Value | undefined | Promise<Value | undefined> {
    const block = Math.floor(row / this.#blockRows);
    const partition = input * BLOCKS_OF_INPUT + block;
    const at = row - block * this.#blockRows;
    if (this.#partition === partition) return this.#values[this.#of[at]! - 1];
    return this.#load(partition, block * this.#blockRows).then(() => this.#values[this.#of[at]! - 1]);
  }

  async #load(partition: number, first: number): Promise<void> {
    this.#values = [];
    if (this.#of.length > 0) this.#of.fill(0);
    else this.#of = new Int32Array(this.#blockRows);
    for await (const lines of this.#spill.read(partition)) {
      for (const line of lines) {
        const [from, to, value] = JSON.parse(line) as [number, number, Value];
        this.#values.push(value);
        this.#of.fill(this.#values.length, from - first, to - first + 1);
      }
    }
    this.#partition = partition;
  }
}
