import { partitionOf, Spill } from "../store/spill.ts";

const PARTITIONS = 512;
/** Bytes of all partitions together that are held before they are written. */
const BUFFER_BYTES = 4_194_304;

/** A key that occurs in two rows. */
interface Repeat {
  readonly key: string;
  readonly firstLine: number;
  readonly line: number;
}

/**
 * Finds repeated keys exactly and in bounded memory: keys are dealt out by hash to partitions in private files, and one
 * partition at a time is held in memory. Of each update a bit is kept.
 */
export class RepeatedKeys {
  readonly #keys: Spill;
  #updates = 0;
  /** By number of the update, a bit: 1 if a later row has its key. */
  #marks = new Uint8Array(0);

  constructor(directory: string, bufferBytes = BUFFER_BYTES) {
    this.#keys = new Spill(directory, bufferBytes);
  }

  /** Adds the next update in file order. */
  add(key: string, line: number): void {
    // A key may hold a line feed or a lone surrogate, which a text file would not preserve.
    this.#keys.add(partitionOf(key, PARTITIONS), JSON.stringify([key, line, this.#updates++]));
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#keys.settle();
  }

  /** The first row whose key an earlier row has. */
  async findFirst(): Promise<Repeat | undefined> {
    let first: Repeat | undefined;
    await this.#eachRow((key, line, _, lineOf) => {
      const firstLine = lineOf.get(key);
      if (firstLine === undefined) lineOf.set(key, line);
      else if (first === undefined || line < first.line) first = { key, firstLine, line };
    });
    return first;
  }

  /** Marks every update whose key occurs in a later row too; returns how many there are. */
  async markEarlier(): Promise<number> {
    let count = 0;
    this.#marks = new Uint8Array(Math.ceil(this.#updates / 8));
    await this.#eachRow((key, _, update, latest) => {
      const earlier = latest.get(key);
      latest.set(key, update);
      if (earlier === undefined) return;
      count++;
      this.#marks[earlier >> 3]! |= 1 << (earlier & 7);
    });
    return count;
  }

  /** True if an update is marked; updates are counted from 0. */
  isMarked(update: number): boolean {
    return (this.#marks[update >> 3]! & (1 << (update & 7))) !== 0;
  }

  remove(): Promise<void> {
    return this.#keys.remove();
  }

  /** Calls `take` for each row; rows with one key come in file order, with one map for notes about them. */
  async #eachRow(
    take: (key: string, line: number, update: number, noted: Map<string, number>) => void,
  ): Promise<void> {
    for (const partition of this.#keys.numbers) {
      const noted = new Map<string, number>();
      for await (const lines of this.#keys.read(partition))
        for (const text of lines) take(...(JSON.parse(text) as [string, number, number]), noted);
    }
  }
}
