import { recordAt } from "../model/record-list.ts";
import { recordJson, type PreparedRecord } from "../model/record.ts";
import type { LeftOutReason, SelectedChunk } from "../prepare/select.ts";
import { Spill } from "../state/spill.ts";
import { describeProblems } from "./rejection.ts";
import { Stretch, type LeftRow, type LoggedRow, type NamedRow } from "./row-stretch.ts";

const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, "settled">, string>> = {
  repeated: "a later row has the same key",
  created: "it was created before",
  inDoubt: "an earlier push left it in doubt: sent, and what became of it is not known",
  changed: "it was created before with other values",
};

/** Keeps every row of the inputs, in file order, in private files, for the results. */
export class RowLog {
  readonly #spill: Spill;
  readonly #identity: readonly string[];

  /** `identity` names the fields whose values are kept as well. */
  constructor(directory: string, identity: readonly string[] = []) {
    this.#spill = new Spill(directory);
    this.#identity = identity;
  }

  /**
   * Adds the next chunk of an input; with `earlier`, none of it is sent because it was pushed before, and rows that were
   * rejected are rejected still if that push has left some to be mended.
   */
  async add(input: number, chunk: SelectedChunk, earlier?: { readonly hasRejects: boolean }): Promise<void> {
    const { records, leftOut, rejected, empty } = chunk;
    const stretch = new Stretch((text) => this.#spill.add(input, text));
    if (earlier !== undefined || leftOut.length + rejected.length + empty.length > 0) {
      for (const { row } of this.#rowsOf(chunk)) {
        const isRejected = earlier?.hasRejects === true && "outcome" in row && row.outcome === "rejected";
        stretch.add(earlier === undefined || isRejected ? row : skipped(row, "its file was pushed before"));
      }
    } else {
      const hasIdentity = this.#identity.length > 0;
      for (const { of, from, to } of records.stretches) {
        for (let index = from; index < to; index++) {
          const identity = hasIdentity ? this.#identityOf(recordAt(of, index)) : undefined;
          stretch.addRecord(of.line(index), of.ordinal(index), of.key(index), identity);
        }
      }
    }
    stretch.end();
    await this.#spill.settle();
  }

  /** The rows of an input in file order: lines of a {@link Stretch}, several at a time, with a line feed behind each. */
  read(input: number): AsyncGenerator<Buffer> {
    return this.#spill.readBytes(input);
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
    const identity = this.#identityOf(record);
    return { line, key, ordinal, ...(identity === undefined ? {} : { identity }) };
  }

  #identityOf(record: PreparedRecord): readonly (string | null)[] | undefined {
    if (this.#identity.length === 0) return undefined;
    const fields = JSON.parse(recordJson(record)) as Readonly<Record<string, string>>;
    return this.#identity.map((field) => fields[field] ?? null);
  }
}

interface PlacedRow {
  readonly start: number;
  readonly row: LoggedRow;
}

function reasonOf(why: Exclude<LeftOutReason, "settled">, key: string | undefined): string {
  return why === "repeated" && key === undefined ? "a later row has the same identity" : LEFT_OUT[why];
}

function skipped({ line, key, identity }: NamedRow, msg: string): LeftRow {
  return { line, key, ...(identity === undefined ? {} : { identity }), outcome: "skipped", msg };
}
