import type { RejectedRow } from "../model/rows.ts";
import type { PreparedRecord } from "../model/settlement.ts";
import { partitionOf, Spill } from "../store/spill.ts";
import {
  describeDoubt,
  describeProblems,
  refusalOf,
  type Rejection,
  type RowDoubt,
  type RowOutcome,
} from "./outcome-log.ts";

/** Bytes of content whose verdicts are held in memory at once when they are read back; a parameter for tests only. */
const BLOCK_BYTES = 4_194_304;
/** One partition per block. */
const BLOCKS_OF_INPUT = 2 ** 32;

/** Why a row has to be mended, and which bytes of the content it spans. */
export interface Verdict extends Rejection {
  readonly start: number;
  readonly end: number;
  /** A later row with its key that was accepted. */
  readonly later: LaterRow | undefined;
}

/**
 * Keeps the verdicts on rows that were rejected or refused, when they are made, in private files that are read back
 * in file order: no row is judged a second time to find out what became of it.
 */
export class VerdictLog {
  readonly #spill: Spill;
  readonly #blockBytes: number;
  readonly #laterRows: LaterRows;
  /** By input: how many verdicts there are, and whether any was added, or got a later row, since they were last read. */
  readonly #inputs = new Map<number, { rows: number; isChanged: boolean }>();

  constructor(directory: string, blockBytes = BLOCK_BYTES) {
    this.#spill = new Spill(directory);
    this.#blockBytes = blockBytes;
    this.#laterRows = new LaterRows(directory, (place, { input, line }) =>
      this.#add(place, [place.start, input, line]),
    );
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

  /** Adds accepted rows, which may be later ones with the key of another. */
  addAccepted(input: number, records: Iterable<PreparedRecord>): void {
    if (!this.#laterRows.needsAccepted) return;
    for (const { key, rowStart: start, line } of records)
      if (key !== undefined) this.#laterRows.addAccepted(key, { input, start, line });
  }

  /** To be awaited from time to time between additions. */
  async settle(): Promise<void> {
    await this.#spill.settle();
    await this.#laterRows.settle();
  }

  /** True if an input has verdicts that have changed since they were last read. */
  async isChanged(input: number): Promise<boolean> {
    await this.#laterRows.findSpilled();
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
    await this.#laterRows.remove();
  }

  #addRow(place: RowPlace, key: string | undefined, rejection: Rejection & { readonly end: number }): void {
    const about = this.#inputs.get(place.input) ?? { rows: 0, isChanged: true };
    this.#inputs.set(place.input, about);
    about.rows++;
    this.#add(place, { start: place.start, ...rejection });
    if (key !== undefined) this.#laterRows.addReject(key, place);
  }

  /** A row, or only its start with the later row that was accepted. */
  #add({ input, start }: RowPlace, entry: LoggedRow | LoggedLater): void {
    this.#inputs.get(input)!.isChanged = true;
    const block = Math.floor(start / this.#blockBytes);
    this.#spill.add(input * BLOCKS_OF_INPUT + block, JSON.stringify(entry));
  }

  async #readBlock(block: number): Promise<readonly Verdict[]> {
    const rows: LoggedRow[] = [];
    const laterRows = new Map<number, LaterRow>();
    for await (const lines of this.#spill.read(block)) {
      for (const line of lines) {
        const entry = JSON.parse(line) as LoggedRow | LoggedLater;
        if (Array.isArray(entry)) laterRows.set(entry[0], { input: entry[1], line: entry[2] });
        else rows.push(entry);
      }
    }
    rows.sort((left, right) => left.start - right.start);
    return rows.map((row) => Object.assign(row, { later: laterRows.get(row.start) }));
  }
}

type LoggedRow = Omit<Verdict, "later">;

/** The start of a row, and the input and the line of the later one. */
type LoggedLater = [start: number, input: number, line: number];

/** Keys of rejects that are held in memory at once; a parameter for tests only. */
const MOST_KEYS = 131_072;
const PARTITIONS = 256;

/** A row among the inputs of a command. */
export interface RowPlace {
  /** Which input, counted from 0. */
  readonly input: number;
  /** The byte of its content at which the row begins. */
  readonly start: number;
}

/** An accepted row. */
export interface AcceptedPlace extends RowPlace {
  readonly line: number;
}

/** A later accepted row with the key of a reject: its input and its line. */
export type LaterRow = Pick<AcceptedPlace, "input" | "line">;

/**
 * Finds the rejects whose key has a later accepted row, in the same input or a later one, exactly and in bounded
 * memory: if there are too many keys to hold, these and all accepted keys are distributed over files.
 */
export class LaterRows {
  readonly #spill: Spill;
  readonly #mostKeys: number;
  readonly #onFound: (reject: RowPlace, later: LaterRow) => void;
  /** For each key, the rejects that no later row has superseded so far. */
  readonly #waiting = new Map<string, RowPlace[]>();
  #isSpilling = false;

  constructor(directory: string, onFound: (reject: RowPlace, later: LaterRow) => void, mostKeys = MOST_KEYS) {
    this.#spill = new Spill(directory);
    this.#onFound = onFound;
    this.#mostKeys = mostKeys;
  }

  addReject(key: string, place: RowPlace): void {
    if (this.#isSpilling) {
      this.#write(key, place);
      return;
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, [place]);
    else waiting.push(place);
    if (this.#waiting.size > this.#mostKeys) this.#spillWaiting();
  }

  /** False if no accepted row can supersede a reject that was added so far. */
  get needsAccepted(): boolean {
    return this.#isSpilling || this.#waiting.size > 0;
  }

  addAccepted(key: string, place: AcceptedPlace): void {
    if (this.#isSpilling) {
      this.#write(key, place, place.line);
      return;
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    const left = waiting.filter((reject) => !isBefore(reject, place));
    for (const reject of waiting) if (isBefore(reject, place)) this.#onFound(reject, place);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /** Reports those whose keys are in files; calling this again may report one again. */
  async findSpilled(): Promise<void> {
    for (const partition of this.#spill.numbers) {
      const latest = new Map<string, AcceptedPlace>();
      for await (const { key, place, line } of this.#entries(partition)) {
        if (line === undefined) continue;
        const other = latest.get(key);
        if (other === undefined || isBefore(other, place)) latest.set(key, { ...place, line });
      }
      for await (const { key, place, line } of this.#entries(partition)) {
        const accepted = latest.get(key);
        if (line === undefined && accepted !== undefined && isBefore(place, accepted))
          this.#onFound(place, accepted);
      }
    }
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  #spillWaiting(): void {
    this.#isSpilling = true;
    for (const [key, rejects] of this.#waiting) {
      for (const place of rejects) this.#write(key, place);
    }
    this.#waiting.clear();
  }

  // A key may hold a line feed or a lone surrogate, which a text file would not preserve.
  #write(key: string, { input, start }: RowPlace, line?: number): void {
    this.#spill.add(partitionOf(key, PARTITIONS), JSON.stringify([key, input, start, line]));
  }

  async *#entries(partition: number): AsyncGenerator<Entry> {
    for await (const lines of this.#spill.read(partition)) {
      for (const line of lines) {
        const [key, input, start, of] = JSON.parse(line) as [string, number, number, number | null];
        yield { key, place: { input, start }, line: of ?? undefined };
      }
    }
  }
}

interface Entry {
  readonly key: string;
  readonly place: RowPlace;
  /** Only for an accepted row. */
  readonly line: number | undefined;
}

function isBefore(row: RowPlace, other: RowPlace): boolean {
  return row.input === other.input ? row.start < other.start : row.input < other.input;
}
