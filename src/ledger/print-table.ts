import { PrintSieve } from "./print-sieve.ts";

const NONE = -1;

/**
 * Numbers prints in the order in which they first come: 96 bits each, in a table of fixed size. Callers keep whatever
 * else belongs to a print by its number.
 */
export class PrintTable {
  /** One more than the largest number. */
  readonly most: number;
  readonly #mask: number;
  /** A hash table with open addressing: at each place the number of a print plus one, or 0 if the place is empty. */
  readonly #places: Uint32Array;
  /** By number: the three words of a print. */
  readonly #words: Int32Array;
  readonly #sieve: PrintSieve;
  #count = 0;
  /** The buffer seen last, and a view of it: reading words through the view takes a third of the time. */
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);

  constructor(most: number) {
    this.most = Math.max(most, 1);
    const places = 2 ** Math.ceil(Math.log2(this.most * 2));
    this.#mask = places - 1;
    this.#places = new Uint32Array(places);
    this.#words = new Int32Array(this.most * 3);
    this.#sieve = new PrintSieve(this.most);
  }

  /** The number of the print at `at`; a new print gets the next number. */
  add(bytes: Buffer, at: number): number {
    const prints = this.#viewOf(bytes);
    this.#sieve.add(prints, at);
    return this.#find(prints, at, true);
  }

  /** The number of the print at `at`; negative if it has none. */
  find(bytes: Buffer, at: number): number {
    const prints = this.#viewOf(bytes);
    return this.#sieve.mayHold(prints, at) ? this.#find(prints, at, false) : NONE;
  }

  /**
   * Calls `take` with the number and the place of each print that has a number; they are looked for from `from` to `to`, one
   * every `width` bytes.
   */
  findAll(
    bytes: Buffer,
    from: number,
    to: number,
    width: number,
    take: (number: number, bytes: Buffer, at: number) => void,
  ): void {
    const prints = this.#viewOf(bytes);
    const sieve = this.#sieve;
    for (let at = from; at < to; at += width) {
      if (!sieve.mayHold(prints, at)) continue;
      const number = this.#find(prints, at, false);
      if (number !== NONE) take(number, bytes, at);
    }
  }

  #viewOf(bytes: Buffer): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    return this.#view;
  }

  #find(prints: DataView, at: number, isAdded: boolean): number {
    const first = prints.getInt32(at, true);
    const second = prints.getInt32(at + 4, true);
    const third = prints.getInt32(at + 8, true);
    const words = this.#words;
    for (let place = second & this.#mask; ; place = (place + 1) & this.#mask) {
      const number = this.#places[place]! - 1;
      if (number < 0) {
        if (!isAdded) return NONE;
        this.#places[place] = this.#count + 1;
        words[this.#count * 3] = first;
        words[this.#count * 3 + 1] = second;
        words[this.#count * 3 + 2] = third;
        return this.#count++;
      }
      if (words[number * 3] === first && words[number * 3 + 1] === second && words[number * 3 + 2] === third)
        return number;
    }
  }
}

/** Which of several parts a print belongs to; prints are spread evenly. */
export function partOf(bytes: Buffer, at: number, parts: number): number {
  return parts === 1 ? 0 : bytes.readUInt32LE(at) % parts;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
