import { recordJson, type PreparedRecord } from "../model/record.ts";
import type { LeftOutReason, SelectedChunk } from "../prepare/select.ts";
import { Spill } from "../state/spill.ts";
import { describeProblems } from "./rejection.ts";

/** A row as the results name it and, if it was never a record to send, the reason. */
export type LoggedRow = {
  readonly line: number;
  readonly key: string | undefined;
  /** The values of the identity's fields, in order; absent if there is no identity or the values cannot be read. */
  readonly identity?: readonly (string | undefined)[];
} & ({ readonly ordinal: number } | { readonly outcome: "rejected" | "skipped"; readonly msg: string });

const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, "settled">, string>> = {
  repeated: "a later row has the same key",
  created: "it was created before",
  inDoubt: "an earlier push left it in doubt: sent, and what became of it is not known",
  changed: "it was created before with other values",
};

/** Keeps a line for every row of the inputs, in file order, in private files, for the results. */
export class RowLog {
  readonly #spill: Spill;
  readonly #identity: readonly string[];

  /** `identity` names the fields whose values are kept as well. */
  constructor(directory: string, identity: readonly string[] = []) {
    this.#spill = new Spill(directory);
    this.#identity = identity;
  }

  /** Adds the next chunk of an input; with `isPushed`, none of it is sent because it was pushed before. */
  async add(input: number, chunk: SelectedChunk, isPushed = false): Promise<void> {
    const { records, leftOut, rejected, empty } = chunk;
    if (isPushed || leftOut.length + rejected.length + empty.length > 0) {
      for (const { row } of this.#rowsOf(chunk))
        this.#spill.add(input, writeRow(isPushed ? skipped(row, "its file was pushed before") : row));
    } else {
      for (const record of records) this.#spill.add(input, writeRow(this.#rowOf(record)));
    }
    await this.#spill.settle();
  }

  /** The rows of an input in file order, several at a time. */
  async *read(input: number): AsyncGenerator<readonly LoggedRow[]> {
    for await (const lines of this.#spill.read(input)) {
      yield lines.map(readRow);
    }
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  #rowsOf({ records, rejected, empty, leftOut }: SelectedChunk): readonly PlacedRow[] {
    const rows = [
      ...records.map((record) => this.#place(record)),
      ...leftOut.map(({ record, why }) => this.#place(record, why)),
      ...rejected.map(({ start, line, key, problems }): PlacedRow => {
        const { field, reason } = describeProblems(problems);
        const msg = field === "" ? reason : `${field}: ${reason}`;
        return { start, row: { line, key, outcome: "rejected", msg } };
      }),
      ...empty.map(({ start, line }) => ({
        start,
        row: skipped({ line, key: undefined }, "nothing to send"),
      })),
    ];
    return rows.sort((left, right) => left.start - right.start);
  }

  #place(record: PreparedRecord, why?: LeftOutReason): PlacedRow {
    const row = this.#rowOf(record);
    const isLeftOut = why !== undefined && why !== "settled";
    return { start: record.rowStart, row: isLeftOut ? skipped(row, reasonOf(why, record.key)) : row };
  }

  #rowOf(record: PreparedRecord): LoggedRow {
    const { line, key, ordinal } = record;
    if (this.#identity.length === 0) return { line, key, ordinal };
    const fields = JSON.parse(recordJson(record)) as Readonly<Record<string, string>>;
    return { line, key, identity: this.#identity.map((field) => fields[field]), ordinal };
  }
}

/** A row as a line; nearly every row is a record, and short: `12 11 "C000"`, without the key if it has none. */
function writeRow(row: LoggedRow): string {
  if (!("ordinal" in row) || row.identity !== undefined) return JSON.stringify(row);
  const { line, key, ordinal } = row;
  return `${line} ${ordinal} ${key === undefined ? "" : JSON.stringify(key)}`;
}

function readRow(text: string): LoggedRow {
  if (text.startsWith("{")) return JSON.parse(text) as LoggedRow;
  const second = text.indexOf(" ");
  const third = text.indexOf(" ", second + 1);
  const quoted = text.slice(third + 1);
  return {
    line: Number(text.slice(0, second)),
    ordinal: Number(text.slice(second + 1, third)),
    key: readKey(quoted),
  };
}

/** Nearly every key is a string without escapes, which is read in a tenth of the time. */
function readKey(quoted: string): string | undefined {
  if (quoted === "") return undefined;
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

interface PlacedRow {
  readonly start: number;
  readonly row: LoggedRow;
}

function reasonOf(why: Exclude<LeftOutReason, "settled">, key: string | undefined): string {
  return why === "repeated" && key === undefined ? "a later row has the same identity" : LEFT_OUT[why];
}

function skipped(
  { line, key, identity }: Pick<LoggedRow, "line" | "key" | "identity">,
  msg: string,
): LoggedRow {
  return { line, key, ...(identity === undefined ? {} : { identity }), outcome: "skipped", msg };
}
