import type { Settled } from "../model/counts.ts";
import type { RowProblem } from "../model/rows.ts";
import { showText } from "../model/text.ts";
import type { RecordKind, Settlement } from "../model/settlement.ts";
import { ordinalsOf } from "../store/number-ranges.ts";
import { Spill } from "../store/spill.ts";

/** A longer reason would say nothing more. */
const MAX_REASON = 1_000;

/** Why a person has to see a row. */
export interface Rejection {
  readonly line: number;
  /** The fields or headers at fault; empty if the row as a whole is. */
  readonly field: string;
  readonly reason: string;
}

/** `the service refused it (422): unknown state` */
export function describeRefusal({ status, msg }: Pick<RowOutcome, "status" | "msg">): string {
  return `the service refused it (${status ?? "no answer"}): ${msg}`;
}

/** The reason in the rejects file for a row that the service refused. */
export function refusalOf(outcome: Pick<RowOutcome, "status" | "msg">): Omit<Rejection, "line"> {
  return { field: "", reason: showText(describeRefusal(outcome), MAX_REASON) };
}

/** A row that was sent and whose fate is unknown. */
export interface RowDoubt {
  readonly batch: number;
  /** `undefined` if the process ended before an answer came. */
  readonly msg: string | undefined;
}

/** The reason in the file of rows in doubt. */
export function describeDoubt({ batch, msg }: RowDoubt): Omit<Rejection, "line"> {
  const reason = msg ?? "rec-push was stopped before the answer came";
  return { field: String(batch), reason: showText(`sent, perhaps applied: ${reason}`, MAX_REASON) };
}

/** The reason in the rejects file for a row with problems. */
export function rejectionOf(problems: readonly RowProblem[]): Omit<Rejection, "line"> {
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

/** Records whose outcomes are held in memory at once when they are read back; a parameter for tests only. */
const BLOCK_RECORDS = 1_048_576;

/** Partitions per input: blocks of updates and blocks of creates alternate. */
const PARTITIONS_OF_INPUT = 2 ** 32;

/** The outcome of a record. */
export type RowOutcome = Omit<Settlement, "kind" | "ordinals">;

/**
 * The outcome of every record of a command, in private files, read back in file order. If a record has several
 * outcomes, the last one counts.
 */
export class OutcomeLog {
  readonly #spill: Spill;
  readonly #blockRecords: number;
  readonly #blocks = { update: new Block(), create: new Block() };

  constructor(directory: string, blockRecords = BLOCK_RECORDS) {
    this.#spill = new Spill(directory);
    this.#blockRecords = blockRecords;
  }

  /** `input` counts the inputs of the command from 0. */
  add(input: number, { kind, ordinals, batch, outcome, status, msg, attempts }: Settlement): void {
    const told: RowOutcome = { batch, outcome, status, msg, attempts };
    this.#blocks[kind].partition = -1;
    for (const [first, last] of ordinals) {
      for (let from = first; from <= last;) {
        const block = Math.floor(from / this.#blockRecords);
        const to = Math.min(last, (block + 1) * this.#blockRecords - 1);
        this.#spill.add(partitionOf(input, kind, block), JSON.stringify([from, to, told]));
        from = to + 1;
      }
    }
  }

  /** To be awaited from time to time between additions. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /**
   * The outcome of a record of an input, `undefined` if it was not sent; records of a kind are to be asked for in file
   * order. A promise only where a block of outcomes has to be read first, because nearly every record needs no wait.
   */
  find(
    input: number,
    kind: RecordKind,
    ordinal: number,
  ): RowOutcome | undefined | Promise<RowOutcome | undefined> {
    const block = this.#blocks[kind];
    const number = Math.floor(ordinal / this.#blockRecords);
    const partition = partitionOf(input, kind, number);
    if (block.partition === partition) return block.at(ordinal);
    return block
      .load(this.#spill, partition, number * this.#blockRecords, this.#blockRecords)
      .then(() => block.at(ordinal));
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }
}

function partitionOf(input: number, kind: RecordKind, block: number): number {
  return input * PARTITIONS_OF_INPUT + block * 2 + (kind === "create" ? 1 : 0);
}

/** A request's outcome without the records that it settled. */
export function settlementOf({ records, ...told }: Settled): Settlement {
  return { ...told, ordinals: ordinalsOf(records) };
}

/** The outcomes of one block of records. */
class Block {
  partition = -1;
  #first = 0;
  #told: RowOutcome[] = [];
  /** By record: the index of its outcome in `told`, counted from 1. */
  #of = new Int32Array(0);

  async load(spill: Spill, partition: number, first: number, size: number): Promise<void> {
    this.partition = partition;
    this.#first = first;
    this.#told = [];
    if (this.#of.length === size) this.#of.fill(0);
    else this.#of = new Int32Array(size);
    for await (const lines of spill.read(partition)) {
      for (const line of lines) {
        const [from, to, told] = JSON.parse(line) as [number, number, RowOutcome];
        this.#told.push(told);
        this.#of.fill(this.#told.length, from - first, to - first + 1);
      }
    }
  }

  at(ordinal: number): RowOutcome | undefined {
    return this.#told[(this.#of[ordinal - this.#first] ?? 0) - 1];
  }
}
