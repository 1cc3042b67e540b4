import { partitionOf } from "../state/partition-of.ts";
import { Spill } from "../state/spill.ts";

/** Limits on what is held at once; parameters for tests only. */
export interface RepeatBounds {
  /** Larger partitions are split further before their keys are held in memory. */
  readonly maxPartitionBytes: number;
  readonly bufferBytes: number;
  /** Bytes of the content whose marks are held at once during the second pass. */
  readonly blockBytes: number;
}

const BOUNDS: RepeatBounds = { maxPartitionBytes: 2_097_152, bufferBytes: 1_048_576, blockBytes: 4_194_304 };
const PARTITIONS = 32;
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
  readonly #keys: Spill;
  #marks: Spill | undefined;
  #block = -1;
  /** The starts of the marked rows in the current block. */
  readonly #marked = new Set<number>();

  constructor(directory: string, bounds = BOUNDS) {
    this.#directory = directory;
    this.#bounds = bounds;
    this.#keys = new Spill(directory, bounds.bufferBytes);
  }

  /** `start`: where the row begins in the content; rows come in file order. */
  add(key: string, line: number, start: number): void {
    this.#keys.add(partitionOf(key, PARTITIONS), entry(key, line, start));
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#keys.settle();
  }

  /** The first row whose key an earlier row has. */
  async findFirst(): Promise<Repeat | undefined> {
    let first: Repeat | undefined;
    await this.#eachPartition(this.#keys, 1, async (spill, number) => {
      const seen = new Map<string, number>();
      for await (const part of entries(spill, number)) {
        for (const { key, line, start } of part) {
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
    const take = async (spill: Spill, number: number): Promise<void> => {
      const starts = new Map<string, number>();
      for await (const part of entries(spill, number)) {
        for (const { key, start } of part) {
          const before = starts.get(key);
          if (before === undefined) starts.set(key, start);
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
    await this.#eachPartition(this.#keys, 1, async (spill, number) => {
      const latest = new Map<string, number>();
      for await (const part of entries(spill, number)) {
        for (const { key, start } of part) {
          const earlier = latest.get(key);
          latest.set(key, start);
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
    spill: Spill,
    depth: number,
    take: (spill: Spill, number: number) => Promise<void>,
    isEnough = (): boolean => false,
  ): Promise<void> {
    for (const number of spill.numbers) {
      if (isEnough()) return;
      if (spill.size(number) <= this.#bounds.maxPartitionBytes || depth > MOST_DIVISIONS) {
        await take(spill, number);
        continue;
      }
      const parts = new Spill(this.#directory, this.#bounds.bufferBytes);
      try {
        for await (const part of entries(spill, number)) {
          for (const { key, line, start } of part)
            parts.add(partitionOf(key, PARTITIONS, depth), entry(key, line, start));
          await parts.settle();
        }
        await this.#eachPartition(parts, depth + 1, take, isEnough);
      } finally {
        await parts.remove();
      }
    }
  }
}

// A key may hold a line feed or a lone surrogate, which a text file would not preserve.
function entry(key: string, line: number, start: number): string {
  return `${line} ${start} ${JSON.stringify(key)}`;
}

interface Entry {
  readonly key: string;
  readonly line: number;
  readonly start: number;
}

async function* entries(spill: Spill, number: number): AsyncGenerator<readonly Entry[]> {
  for await (const texts of spill.read(number)) yield texts.map(parseEntry);
}

function parseEntry(text: string): Entry {
  const second = text.indexOf(" ");
  const third = text.indexOf(" ", second + 1);
  const key = JSON.parse(text.slice(third + 1)) as string;
  return { key, line: Number(text.slice(0, second)), start: Number(text.slice(second + 1, third)) };
}
