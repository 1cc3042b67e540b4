/** A chunk of JSON takes four; a footer holds more. */
const MOST_KEPT = 8;
/** Larger memory is not kept: few chunks need it. */
const MOST_KEPT_BYTES = 1_048_576;
const LEAST_CELLS = 64;
const LEAST_NUMBERS = 64;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** Memory that nobody uses. */
const kept: CellMemory[] = [];

/**
 * Memory for some bytes, and for where their rows and cells are. It is used again for others: new memory for each chunk
 * would wait for the collector, which comes the later the less other garbage there is.
 */
export class CellMemory {
  bytes = NO_BYTES;
  starts = new Int32Array(LEAST_CELLS);
  ends = new Int32Array(LEAST_CELLS);
  marks = new Uint8Array(LEAST_CELLS);
  rows = new Int32Array(LEAST_NUMBERS);
  /** Rises whenever nobody uses it any more: what was in it is gone. */
  turn = 0;
  #users = 1;

  /** Memory for so many bytes and for roughly so many cells; it may hold anything. */
  static take(bytes: number, cells = 0): CellMemory {
    const memory = kept.pop() ?? new CellMemory();
    memory.#users = 1;
    if (bytes > memory.bytes.length) memory.bytes = Buffer.allocUnsafeSlow(bytes);
    if (cells > memory.starts.length) memory.reserveCells(cells);
    return memory;
  }

  /** Makes room for this many cells; those that are there remain. */
  reserveCells(cells: number): void {
    this.starts = copied(this.starts, new Int32Array(cells));
    this.ends = copied(this.ends, new Int32Array(cells));
    this.marks = copied(this.marks, new Uint8Array(cells));
  }

  /** The same for this many numbers about rows, and for twice as many as before. */
  reserveNumbers(numbers: number): void {
    if (numbers <= this.rows.length) return;
    this.rows = copied(this.rows, new Int32Array(Math.max(numbers, 2 * this.rows.length)));
  }

  /** Adds a user. */
  hold(): void {
    this.#users += 1;
  }

  /** To be called once by each user. After the last of them it is used for others. */
  release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.turn += 1;
    if (kept.length < MOST_KEPT && this.bytes.length <= MOST_KEPT_BYTES) kept.push(this);
  }
}

function copied<Values extends Int32Array | Uint8Array>(from: Values, to: Values): Values {
  to.set(from);
  return to;
}
