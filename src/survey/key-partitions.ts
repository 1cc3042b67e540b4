import { readKeys, writeKeys } from "../state/key-text.ts";
import { partitionOf } from "../state/partition-of.ts";
import { Spill } from "../state/spill.ts";

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
