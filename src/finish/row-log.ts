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
    for (const { row } of this.#rowsOf(chunk)) {
      const logged = isPushed ? skipped(row, "its file was pushed before") : row;
      this.#spill.add(input, JSON.stringify(logged));
    }
    await this.#spill.settle();
  }

  /** The rows of an input in file order, several at a time. */
  async *read(input: number): AsyncGenerator<readonly LoggedRow[]> {
    for await (const lines of this.#spill.read(input)) {
      yield lines.map((line) => JSON.parse(line) as LoggedRow);
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
    const { rowStart: start, line, key, ordinal } = record;
    const row = { line, key, ...this.#identityOf(record) };
    const isLeftOut = why !== undefined && why !== "settled";
    return { start, row: isLeftOut ? skipped(row, reasonOf(why, key)) : { ...row, ordinal } };
  }

  #identityOf(record: PreparedRecord): Pick<LoggedRow, "identity"> {
    if (this.#identity.length === 0) return {};
    const fields = JSON.parse(recordJson(record)) as Readonly<Record<string, string>>;
    return { identity: this.#identity.map((field) => fields[field]) };
  }
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
