import { partitionOf, Spill } from "../store/spill.ts";

/** Limits on what is held at once; parameters for tests only. */
export interface RepeatBounds {
  /** The keys of a larger partition are held in memory by parts, and the partition is read once for each. */
  readonly maxPartitionBytes: number;
  readonly bufferBytes: number;
  /** Bytes of the content whose marks are held at once during the second pass. */
  readonly blockBytes: number;
}

const BOUNDS: RepeatBounds = {
  maxPartitionBytes: 8_388_608,
  bufferBytes: 4_194_304,
  blockBytes: 4_194_304,
};
const PARTITIONS = 128;
/** Deals the keys of one partition out otherwise than all keys were. */
const PART_SEED = 1;

/** A key that occurs in two rows. */
export interface Repeat {
  readonly key: string;
  readonly firstLine: number;
  readonly line: number;
  /** The byte of the content at which the second row begins. */
  readonly start: number;
}

/** A row with its key, as it was added. */
interface KeyedRow {
  readonly key: string;
  readonly line: number;
  readonly start: number;
}

/**
 * Finds repeated keys exactly and in bounded memory: keys are dealt out by hash to partitions in private files, and one
 * partition at a time is held in memory.
 */
export class RepeatedKeys {
  readonly #bounds: RepeatBounds;
  readonly #keys: Spill;
  /** The starts of marked rows, by block. */
  readonly #marks: Spill;
  #block = -1;
  /** The starts of the marked rows in the current block. */
  readonly #marked = new Set<number>();

  constructor(directory: string, bounds = BOUNDS) {
    this.#bounds = bounds;
    this.#keys = new Spill(directory, bounds.bufferBytes);
    this.#marks = new Spill(directory, bounds.bufferBytes);
  }

  /** `start`: where the row begins in the content; rows come in file order. */
  add(key: string, line: number, start: number): void {
    this.#keys.add(partitionOf(key, PARTITIONS), `${start} ${line} ${writeKey(key)}`);
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#keys.settle();
  }

  /** The first row whose key an earlier row has. */
  async findFirst(): Promise<Repeat | undefined> {
    let first: Repeat | undefined;
    await this.#eachRow(({ key, line, start }, lineOf) => {
      const firstLine = lineOf.get(key);
      if (firstLine === undefined) lineOf.set(key, line);
      else if (first === undefined || start < first.start) first = { key, firstLine, line, start };
    });
    return first;
  }

  /** Marks every row whose key occurs in a later row too; returns how many there are. */
  async markEarlier(): Promise<number> {
    let count = 0;
    await this.#eachRow(({ key, start }, latest) => {
      const earlier = latest.get(key);
      latest.set(key, start);
      if (earlier === undefined) return;
      count++;
      this.#marks.add(Math.floor(earlier / this.#bounds.blockBytes), String(earlier));
    });
    return count;
  }

  /** Says for each of these rows, given by their starts, whether it is marked; to be asked in file order. */
  async areMarked(starts: readonly number[]): Promise<boolean[]> {
    const marked: boolean[] = [];
    for (const start of starts) {
      const block = Math.floor(start / this.#bounds.blockBytes);
      if (block !== this.#block) await this.#load(block);
      marked.push(this.#marked.has(start));
    }
    return marked;
  }

  async remove(): Promise<void> {
    await this.#keys.remove();
    await this.#marks.remove();
  }

  async #load(block: number): Promise<void> {
    this.#block = block;
    this.#marked.clear();
    for await (const starts of this.#marks.read(block))
      for (const start of starts) this.#marked.add(Number(start));
  }

  /** Calls `take` for each row; rows with one key come in file order, with one map for notes about them. */
  async #eachRow(take: (row: KeyedRow, noted: Map<string, number>) => void): Promise<void> {
    for (const number of this.#keys.numbers) {
      const parts = Math.ceil(this.#keys.size(number) / this.#bounds.maxPartitionBytes);
      for (let part = 0; part < parts; part++) {
        const noted = new Map<string, number>();
        for await (const lines of this.#keys.read(number)) {
          for (const line of lines) {
            const row = readRow(line);
            if (parts > 1 && partitionOf(row.key, parts, PART_SEED) !== part) continue;
            take(row, noted);
          }
          await this.#marks.settle();
        }
      }
    }
  }
}

/** Characters that a line of UTF-8 cannot hold. */
const NOT_PLAIN = /[\n\ud800-\udfff]/;

/** A key at the end of a line: after a tab or, if that could not be read back, as JSON, which takes three times as long. */
function writeKey(key: string): string {
  return NOT_PLAIN.test(key) ? JSON.stringify(key) : `\t${key}`;
}

function readRow(text: string): KeyedRow {
  const second = text.indexOf(" ");
  const third = text.indexOf(" ", second + 1);
  return {
    key: text[third + 1] === "\t" ? text.slice(third + 2) : (JSON.parse(text.slice(third + 1)) as string),
    line: Number(text.slice(second + 1, third)),
    start: Number(text.slice(0, second)),
  };
}
