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

  /** Marks every update whose key occurs in a later row too; returns how many there are, and the first row with a key of an earlier one. */
  async markEarlier(): Promise<{ readonly count: number; readonly first: Repeat | undefined }> {
    let count = 0;
    let first: Repeat | undefined;
    this.#marks = new Uint8Array(Math.ceil(this.#updates / 8));
    for (const partition of this.#keys.numbers) {
      /** By key: its last row so far, and the first. */
      const known = new Map<string, { update: number; readonly firstLine: number }>();
      for await (const lines of this.#keys.read(partition)) {
        for (const text of lines) {
          const [key, line, update] = JSON.parse(text) as [string, number, number];
          const earlier = known.get(key);
          if (earlier === undefined) {
            known.set(key, { update, firstLine: line });
            continue;
          }
          count++;
          this.#marks[earlier.update >> 3]! |= 1 << (earlier.update & 7);
          earlier.update = update;
          if (first === undefined || line < first.line) first = { key, firstLine: earlier.firstLine, line };
        }
      }
    }
    return { count, first };
  }

  /** True if an update is marked; updates are counted from 0. */
  isMarked(update: number): boolean {
    return (this.#marks[update >> 3]! & (1 << (update & 7))) !== 0;
  }

  remove(): Promise<void> {
    return this.#keys.remove();
  }
}
