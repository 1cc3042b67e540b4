import type { NumberRange } from "../store/number-ranges.ts";
import { Spill } from "../store/spill.ts";

/** Rows whose values are held in memory at once when they are read back; a parameter for tests only. */
const BLOCK_ROWS = 1_048_576;
/** One partition per block. */
const BLOCKS_OF_INPUT = 2 ** 32;

/**
 * A value for each of many rows of the inputs of a command, in private files, read back in the order of the rows. If a row has
 * several values, the last one counts.
 */
export class RowLog<Value> {
  readonly #spill: Spill;
  readonly #blockRows: number;
  /** The block that was read last, and its values. */
  #partition = -1;
  #values: Value[] = [];
  /** By row of the block: the index of its value, counted from 1. */
  #of = new Int32Array(0);

  constructor(directory: string, blockRows = BLOCK_ROWS) {
    this.#spill = new Spill(directory);
    this.#blockRows = blockRows;
  }

  /** `input` counts the inputs of the command from 0; the rows have numbers that rise with their place. */
  add(input: number, [first, last]: NumberRange, value: Value): void {
    this.#partition = -1;
    for (let from = first; from <= last;) {
      const block = Math.floor(from / this.#blockRows);
      const to = Math.min(last, (block + 1) * this.#blockRows - 1);
      this.#spill.add(input * BLOCKS_OF_INPUT + block, JSON.stringify([from, to, value]));
      from = to + 1;
    }
  }

  /** To be awaited from time to time between additions. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /**
   * The value of a row, if it has one; rows are to be asked for in order. A promise only where a block has to be read first, because
   * nearly every row needs no wait.
   */
  find(input: number, row: number): Value | undefined | Promise<Value | undefined> {
    const block = Math.floor(row / this.#blockRows);
    const partition = input * BLOCKS_OF_INPUT + block;
    const at = row - block * this.#blockRows;
    if (this.#partition === partition) return this.#values[this.#of[at]! - 1];
    return this.#load(partition, block * this.#blockRows).then(() => this.#values[this.#of[at]! - 1]);
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  async #load(partition: number, first: number): Promise<void> {
    this.#values = [];
    if (this.#of.length > 0) this.#of.fill(0);
    else this.#of = new Int32Array(this.#blockRows);
    for await (const lines of this.#spill.read(partition)) {
      for (const line of lines) {
        const [from, to, value] = JSON.parse(line) as [number, number, Value];
        this.#values.push(value);
        this.#of.fill(this.#values.length, from - first, to - first + 1);
      }
    }
    this.#partition = partition;
  }
}
