import { readKeys, writeKeys } from "../store/key-text.ts";
import { partitionOf, Spill } from "../store/spill.ts";

/** Limits on what is held at once; parameters for tests only. */
export interface RepeatBounds {
  /** Larger partitions are split further before their keys are held in memory. */
  readonly maxPartitionBytes: number;
  /** Rows of a partition that are written together. */
  readonly groupRows: number;
  readonly bufferBytes: number;
  /** Bytes of the content whose marks are held at once during the second pass. */
  readonly blockBytes: number;
}

const BOUNDS: RepeatBounds = {
  maxPartitionBytes: 2_097_152,
  groupRows: 64,
  bufferBytes: 1_048_576,
  blockBytes: 4_194_304,
};
const MOST_DIVISIONS = 6;

/** A key that occurs in two rows. */
export interface Repeat {
  readonly key: string;
  readonly firstLine: number;
  readonly line: number;
  /** The byte of the content at which the second row begins. */
  readonly start: number;
}

/**
 * Finds repeated keys exactly and in bounded memory: keys are distributed by hash over partitions in private files,
 * and one partition at a time is held whole. One that is too large is split again; it stays large only if a single
 * key is repeated over and over, and that takes no memory.
 */
export class RepeatedKeys {
  readonly #directory: string;
  readonly #bounds: RepeatBounds;
  readonly #keys: KeyPartitions;
  #marks: Spill | undefined;
  #block = -1;
  /** The starts of the marked rows in the current block. */
  readonly #marked = new Set<number>();

  constructor(directory: string, bounds = BOUNDS) {
    this.#directory = directory;
    this.#bounds = bounds;
    this.#keys = new KeyPartitions(directory, bounds);
  }

  /** `start`: where the row begins in the content; rows come in file order. */
  add(key: string, line: number, start: number): void {
    this.#keys.add(key, line, start);
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#keys.settle();
  }

  /** The first row whose key an earlier row has. */
  async findFirst(): Promise<Repeat | undefined> {
    let first: Repeat | undefined;
    await this.#eachPartition(this.#keys, 1, async (rows) => {
      const seen = new Map<string, number>();
      for await (const { keys, lines, starts } of rows) {
        for (const [at, key] of keys.entries()) {
          const [line, start] = [lines[at]!, starts[at]!];
          const firstLine = seen.get(key);
          if (firstLine === undefined) seen.set(key, line);
          else if (first === undefined || start < first.start) first = { key, firstLine, line, start };
        }
      }
    });
    return first;
  }

  /** True if a key was added with two different starts. */
  async haveSeveralStarts(): Promise<boolean> {
    let found = false;
    const take = async (rows: AsyncIterable<KeyedRows>): Promise<void> => {
      const startOf = new Map<string, number>();
      for await (const { keys, starts } of rows) {
        for (const [at, key] of keys.entries()) {
          const start = starts[at]!;
          const before = startOf.get(key);
          if (before === undefined) startOf.set(key, start);
          else found ||= before !== start;
        }
        if (found) return;
      }
    };
    await this.#eachPartition(this.#keys, 1, take, () => found);
    return found;
  }

  /** Marks every row whose key occurs in a later row too; returns how many there are. */
  async markEarlier(): Promise<number> {
    const marks = new Spill(this.#directory, this.#bounds.bufferBytes);
    this.#marks = marks;
    let count = 0;
    await this.#eachPartition(this.#keys, 1, async (rows) => {
      const latest = new Map<string, number>();
      for await (const { keys, starts } of rows) {
        for (const [at, key] of keys.entries()) {
          const earlier = latest.get(key);
          latest.set(key, starts[at]!);
          if (earlier === undefined) continue;
          count++;
          marks.add(Math.floor(earlier / this.#bounds.blockBytes), String(earlier));
        }
        await marks.settle();
      }
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
    await this.#marks?.remove();
  }

  async #load(block: number): Promise<void> {
    this.#block = block;
    this.#marked.clear();
    for await (const starts of this.#marks?.read(block) ?? []) {
      for (const start of starts) this.#marked.add(Number(start));
    }
  }

  async #eachPartition(
    partitions: KeyPartitions,
    depth: number,
    take: (rows: AsyncIterable<KeyedRows>) => Promise<void>,
    isEnough = (): boolean => false,
  ): Promise<void> {
    partitions.flush();
    for (const number of partitions.numbers) {
      if (isEnough()) return;
      if (partitions.size(number) <= this.#bounds.maxPartitionBytes || depth > MOST_DIVISIONS) {
        await take(partitions.read(number));
        continue;
      }
      const parts = new KeyPartitions(this.#directory, this.#bounds, depth);
      try {
        for await (const { keys, lines, starts } of partitions.read(number)) {
          for (const [at, key] of keys.entries()) parts.add(key, lines[at]!, starts[at]!);
          await parts.settle();
        }
        await this.#eachPartition(parts, depth + 1, take, isEnough);
      } finally {
        await parts.remove();
      }
    }
  }
}

const PARTITIONS = 32;
/** A group of rows ends once its keys have this many UTF-16 units. */
const MOST_UNITS = 16_384;

/** Keyed rows of one partition, in the order in which they were added. */
export interface KeyedRows {
  readonly keys: readonly string[];
  readonly lines: readonly number[];
  /** Where each row begins in the content. */
  readonly starts: readonly number[];
}

/**
 * Rows distributed over partitions by their keys, in private files. They are written in groups: lines of
 * their own would be most of the cost.
 */
export class KeyPartitions {
  readonly #spill: Spill;
  readonly #groupRows: number;
  readonly #seed: number;
  readonly #groups = Array.from({ length: PARTITIONS }, () => new Group());

  /** Keys are distributed differently for each `seed`; `groupRows` and `bufferBytes` limit what is held in memory. */
  constructor(
    directory: string,
    bounds: { readonly groupRows: number; readonly bufferBytes: number },
    seed = 0,
  ) {
    this.#spill = new Spill(directory, bounds.bufferBytes);
    this.#groupRows = bounds.groupRows;
    this.#seed = seed;
  }

  /** The numbers of the partitions that hold anything. */
  get numbers(): readonly number[] {
    return this.#spill.numbers;
  }

  add(key: string, line: number, start: number): void {
    const number = partitionOf(key, PARTITIONS, this.#seed);
    const group = this.#groups[number] as Group;
    group.add(key, line, start);
    if (group.keys.length >= this.#groupRows || group.units >= MOST_UNITS) this.#endGroup(number);
  }

  /** To be awaited from time to time between additions. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /** Ends the groups that are not full; to be called before anything is read. */
  flush(): void {
    for (const number of this.#groups.keys()) this.#endGroup(number);
  }

  /** The size of a partition in bytes. */
  size(number: number): number {
    return this.#spill.size(number);
  }

  /** The rows of a partition, several at a time. */
  async *read(number: number): AsyncGenerator<KeyedRows> {
    for await (const lines of this.#spill.read(number)) for (const line of lines) yield readGroup(line);
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  #endGroup(number: number): void {
    const group = this.#groups[number] as Group;
    if (group.keys.length === 0) return;
    this.#spill.add(number, group.text);
    this.#groups[number] = new Group();
  }
}

class Group {
  readonly keys: string[] = [];
  /** The UTF-16 units of the keys. */
  units = 0;
  readonly #lines: number[] = [];
  readonly #starts: number[] = [];
  #line = 0;
  #start = 0;

  /** Numbers are kept as differences, which are short to write. */
  add(key: string, line: number, start: number): void {
    this.keys.push(key);
    this.units += key.length;
    this.#lines.push(line - this.#line);
    this.#starts.push(start - this.#start);
    this.#line = line;
    this.#start = start;
  }

  get text(): string {
    return `${this.#lines.join(",")} ${this.#starts.join(",")} ${writeKeys(this.keys)}`;
  }
}

function readGroup(text: string): KeyedRows {
  const second = text.indexOf(" ");
  const third = text.indexOf(" ", second + 1);
  return {
    keys: readKeys(text.slice(third + 1)),
    lines: readSums(text.slice(0, second)),
    starts: readSums(text.slice(second + 1, third)),
  };
}

function readSums(text: string): readonly number[] {
  let sum = 0;
  return text.split(",").map((difference) => (sum += Number(difference)));
}
