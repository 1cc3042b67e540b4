import { Spill } from "../state/spill.ts";

/** How much is held at once; parameters for tests only. */
export interface RepeatBounds {
  /** Larger heaps are divided further before their keys are held in memory. */
  readonly maxHeapChars: number;
  readonly bufferChars: number;
  /** Rows whose marks are held at once in the second pass. */
  readonly blockRows: number;
}

const BOUNDS: RepeatBounds = { maxHeapChars: 2_097_152, bufferChars: 1_048_576, blockRows: 1_048_576 };
const HEAPS = 32;
const MOST_DIVISIONS = 6;

/** A key in two rows; rows are counted from 0 over those that could be read. */
export interface Repeat {
  readonly key: string;
  readonly firstLine: number;
  readonly line: number;
  readonly row: number;
}

/**
 * Finds repeated keys exactly and in bounded memory: keys are shared out by hash over heaps in private files, and heap
 * after heap is held whole. A heap that is too large is divided again; only one key repeated over and over stays large,
 * and it takes no room.
 */
export class RepeatedKeys {
  readonly #directory: string;
  readonly #bounds: RepeatBounds;
  readonly #keys: Spill;
  #marks: Spill | undefined;
  #block = -1;
  #marked = new Uint8Array(0);

  constructor(directory: string, bounds = BOUNDS) {
    this.#directory = directory;
    this.#bounds = bounds;
    this.#keys = new Spill(directory, bounds.bufferChars);
  }

  add(key: string, line: number, row: number): void {
    this.#keys.add(hash(key, 0) % HEAPS, entry(key, line, row));
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#keys.settle();
  }

  /** The row in which a key stands for the second time before any other key does. */
  async findFirst(beforeLine = Infinity): Promise<Repeat | undefined> {
    let first: Repeat | undefined;
    await this.#eachHeap(this.#keys, 1, async (spill, number) => {
      const seen = new Map<string, number>();
      for await (const part of entries(spill, number)) {
        for (const { key, line, row } of part) {
          if (line >= beforeLine) return;
          const firstLine = seen.get(key);
          if (firstLine === undefined) seen.set(key, line);
          else if (first === undefined || row < first.row) first = { key, firstLine, line, row };
        }
      }
    });
    return first;
  }

  /** Marks every row whose key stands in a later row too; gives their number. */
  async markEarlier(beforeLine = Infinity): Promise<number> {
    const marks = new Spill(this.#directory, this.#bounds.bufferChars);
    this.#marks = marks;
    let count = 0;
    await this.#eachHeap(this.#keys, 1, async (spill, number) => {
      const latest = new Map<string, number>();
      for await (const part of entries(spill, number)) {
        for (const { key, line, row } of part) {
          if (line >= beforeLine) return;
          const earlier = latest.get(key);
          latest.set(key, row);
          if (earlier === undefined) continue;
          count++;
          marks.add(Math.floor(earlier / this.#bounds.blockRows), String(earlier));
        }
        await marks.settle();
      }
    });
    return count;
  }

  /** Says of `count` rows from `first` on whether they are marked; asked in file order. */
  async areMarked(first: number, count: number): Promise<boolean[]> {
    const marked: boolean[] = [];
    for (let row = first; row < first + count; row++) {
      const block = Math.floor(row / this.#bounds.blockRows);
      if (block !== this.#block) await this.#load(block);
      marked.push(this.#marked[row % this.#bounds.blockRows] === 1);
    }
    return marked;
  }

  async remove(): Promise<void> {
    await this.#keys.remove();
    await this.#marks?.remove();
  }

  async #load(block: number): Promise<void> {
    this.#block = block;
    const { blockRows } = this.#bounds;
    this.#marked = new Uint8Array(blockRows);
    for await (const rows of this.#marks?.read(block) ?? []) {
      for (const row of rows) this.#marked[Number(row) % blockRows] = 1;
    }
  }

  async #eachHeap(
    spill: Spill,
    depth: number,
    take: (spill: Spill, number: number) => Promise<void>,
  ): Promise<void> {
    for (const number of spill.numbers) {
      if (spill.size(number) <= this.#bounds.maxHeapChars || depth > MOST_DIVISIONS) {
        await take(spill, number);
        continue;
      }
      const parts = new Spill(this.#directory, this.#bounds.bufferChars);
      try {
        for await (const part of entries(spill, number)) {
          for (const { key, line, row } of part) parts.add(hash(key, depth) % HEAPS, entry(key, line, row));
          await parts.settle();
        }
        await this.#eachHeap(parts, depth + 1, take);
      } finally {
        await parts.remove();
      }
    }
  }
}

// A key may hold a line feed or a lone surrogate, which a file would not give back.
function entry(key: string, line: number, row: number): string {
  return `${line} ${row} ${JSON.stringify(key)}`;
}

interface Entry {
  readonly key: string;
  readonly line: number;
  readonly row: number;
}

async function* entries(spill: Spill, number: number): AsyncGenerator<readonly Entry[]> {
  for await (const texts of spill.read(number)) yield texts.map(parseEntry);
}

function parseEntry(text: string): Entry {
  const second = text.indexOf(" ");
  const third = text.indexOf(" ", second + 1);
  const key = JSON.parse(text.slice(third + 1)) as string;
  return { key, line: Number(text.slice(0, second)), row: Number(text.slice(second + 1, third)) };
}

/** Spreads keys evenly over 32 bits; each seed otherwise. */
export function hash(key: string, seed: number): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1);
  for (let at = 0; at < key.length; at++) mixed = Math.imul(mixed ^ key.charCodeAt(at), 0x5f356495);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
