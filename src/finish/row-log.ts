import type { PreparedRecord } from "../model/record.ts";
import type { LeftOutReason, SelectedChunk } from "../prepare/select.ts";
import { Spill } from "../state/spill.ts";
import { describeProblems } from "./rejection.ts";

/** A row as the results name it, and, if it was never a record to send, the reason. */
export type LoggedRow = { readonly line: number; readonly key: string | undefined } & (
  { readonly ordinal: number } | { readonly outcome: "rejected" | "skipped"; readonly msg: string }
);

const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, "settled">, string>> = {
  repeated: "a later row has the same key",
  created: "it was created before",
  changed: "it was created before with other values",
};

/** Keeps a line for every row of the inputs, in file order, in private files: for the results. */
export class RowLog {
  readonly #spill: Spill;

  constructor(directory: string) {
    this.#spill = new Spill(directory);
  }

  /** Takes the next chunk of an input; with `isPushed` nothing of it is sent because it was pushed before. */
  async add(input: number, chunk: SelectedChunk, isPushed = false): Promise<void> {
    for (const { row } of rowsOf(chunk)) {
      const logged = isPushed ? skipped(row, "its file was pushed before") : row;
      this.#spill.add(input, JSON.stringify(logged));
    }
    await this.#spill.settle();
  }

  /** The rows of an input in file order, some at a time. */
  async *read(input: number): AsyncGenerator<readonly LoggedRow[]> {
    for await (const lines of this.#spill.read(input)) {
      yield lines.map((line) => JSON.parse(line) as LoggedRow);
    }
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }
}

interface PlacedRow {
  readonly start: number;
  readonly row: LoggedRow;
}

function rowsOf({ records, rejected, empty, leftOut }: SelectedChunk): readonly PlacedRow[] {
  const rows = [
    ...records.map((record) => placeRecord(record)),
    ...leftOut.map(({ record, why }) => placeRecord(record, why)),
    ...rejected.map(({ start, line, key, problems }): PlacedRow => {
      const { field, reason } = describeProblems(problems);
      const msg = field === "" ? reason : `${field}: ${reason}`;
      return { start, row: { line, key, outcome: "rejected", msg } };
    }),
    ...empty.map(({ start, line }) => ({ start, row: skipped({ line, key: undefined }, "nothing to send") })),
  ];
  return rows.sort((left, right) => left.start - right.start);
}

function placeRecord(
  { rowStart: start, line, key, ordinal }: PreparedRecord,
  why?: LeftOutReason,
): PlacedRow {
  const isLeftOut = why !== undefined && why !== "settled";
  return { start, row: isLeftOut ? skipped({ line, key }, reasonOf(why, key)) : { line, key, ordinal } };
}

function reasonOf(why: Exclude<LeftOutReason, "settled">, key: string | undefined): string {
  return why === "repeated" && key === undefined ? "a later row has the same identity" : LEFT_OUT[why];
}

function skipped({ line, key }: Pick<LoggedRow, "line" | "key">, msg: string): LoggedRow {
  return { line, key, outcome: "skipped", msg };
}
