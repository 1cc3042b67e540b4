import type { PreparedRecord } from "../model/record.ts";
import type { RejectedRow } from "../model/row.ts";
import { Spill } from "../state/spill.ts";
import type { RowOutcome } from "./outcome-log.ts";
import { describeDoubt, describeProblems, refusalOf, type Rejection, type RowDoubt } from "./rejection.ts";
import { Superseded, type RowPlace } from "./superseded.ts";

/** Bytes of content whose verdicts are held in memory at once when they are read back; a parameter for tests only. */
const BLOCK_BYTES = 4_194_304;
/** One partition per block. */
const BLOCKS_OF_INPUT = 2 ** 32;

/** Why a row has to be mended, and which bytes of the content it spans. */
export interface Verdict extends Rejection {
  readonly start: number;
  readonly end: number;
  /** True if its key has a later accepted row. */
  readonly isSuperseded: boolean;
}

/**
 * Keeps the verdicts on rows that were rejected or refused, when they are made, in private files that are read back
 * in file order: no row is judged a second time to find out what became of it.
 */
export class VerdictLog {
  readonly #spill: Spill;
  readonly #blockBytes: number;
  readonly #superseded: Superseded;
  /** By input: how many verdicts there are, and whether any was added or superseded since they were last read. */
  readonly #inputs = new Map<number, { rows: number; isChanged: boolean }>();

  constructor(directory: string, blockBytes = BLOCK_BYTES) {
    this.#spill = new Spill(directory);
    this.#blockBytes = blockBytes;
    this.#superseded = new Superseded(directory, (place) => this.#add(place, place.start));
  }

  /** `input` counts the inputs of the command from 0. */
  addRejected(input: number, { line, start, end, key, problems }: RejectedRow): void {
    this.#addRow({ input, start }, key, { line, ...describeProblems(problems), end });
  }

  addRefused(input: number, record: PreparedRecord, outcome: RowOutcome): void {
    const { line, rowStart: start, rowEnd: end, key } = record;
    this.#addRow({ input, start }, key, { line, ...refusalOf(outcome), end });
  }

  /** For rows in doubt the field is the number of their batch. */
  addInDoubt(input: number, { line, rowStart: start, rowEnd: end }: PreparedRecord, doubt: RowDoubt): void {
    this.#addRow({ input, start }, undefined, { line, ...describeDoubt(doubt), end });
  }

  /** Adds accepted rows, which decide which of the others are superseded. */
  addAccepted(input: number, records: Iterable<PreparedRecord>): void {
    if (!this.#superseded.needsAccepted) return;
    for (const { key, rowStart: start } of records)
      if (key !== undefined) this.#superseded.addAccepted(key, { input, start });
  }

  /** To be awaited from time to time between additions. */
  async settle(): Promise<void> {
    await this.#spill.settle();
    await this.#superseded.settle();
  }

  /** True if an input has verdicts that have changed since they were last read. */
  async isChanged(input: number): Promise<boolean> {
    await this.#superseded.findSpilled();
    const { rows, isChanged } = this.#inputs.get(input) ?? { rows: 0, isChanged: false };
    return rows > 0 && isChanged;
  }

  /** How many rows of an input have to be mended. */
  count(input: number): number {
    return this.#inputs.get(input)?.rows ?? 0;
  }

  /** The verdicts on one input in file order, several at a time. */
  async *read(input: number): AsyncGenerator<readonly Verdict[]> {
    const about = this.#inputs.get(input);
    if (about !== undefined) about.isChanged = false;
    const first = input * BLOCKS_OF_INPUT;
    const blocks = this.#spill.numbers.filter((block) => block >= first && block < first + BLOCKS_OF_INPUT);
    for (const block of blocks.sort((left, right) => left - right)) yield await this.#readBlock(block);
  }

  async remove(): Promise<void> {
    await this.#spill.remove();
    await this.#superseded.remove();
  }

  #addRow(place: RowPlace, key: string | undefined, rejection: Rejection & { readonly end: number }): void {
    const about = this.#inputs.get(place.input) ?? { rows: 0, isChanged: true };
    this.#inputs.set(place.input, about);
    about.rows++;
    this.#add(place, { start: place.start, ...rejection });
    if (key !== undefined) this.#superseded.addReject(key, place);
  }

  /** A row, or only the start of a row that is superseded. */
  #add({ input, start }: RowPlace, entry: LoggedRow | number): void {
    this.#inputs.get(input)!.isChanged = true;
    const block = Math.floor(start / this.#blockBytes);
    this.#spill.add(input * BLOCKS_OF_INPUT + block, JSON.stringify(entry));
  }

  async #readBlock(block: number): Promise<readonly Verdict[]> {
    const rows: LoggedRow[] = [];
    const superseded = new Set<number>();
    for await (const lines of this.#spill.read(block)) {
      for (const line of lines) {
        const entry = JSON.parse(line) as LoggedRow | number;
        if (typeof entry === "number") superseded.add(entry);
        else rows.push(entry);
      }
    }
    rows.sort((left, right) => left.start - right.start);
    return rows.map((row) => Object.assign(row, { isSuperseded: superseded.has(row.start) }));
  }
}

type LoggedRow = Omit<Verdict, "isSuperseded">;
