import { TOTALS_HINT } from "./suspicion.ts";

const FIRST_BYTES = 64;
const SEVEN_BITS = 0x80;
/** Maximum number of different reasons kept; later ones become a general one, because a file may have one per group. */
const MOST_REASONS = 1000;
const ANY_REASONS = [
  { reason: "the row looks like a total", isSparse: false },
  { reason: "the row is unlike all others", isSparse: true },
] as const;

/** A row that looks like a total, or holds too little for a row. */
export interface SuspectRow {
  /** The byte of the content at which it begins. */
  readonly start: number;
  /** The position of a JSON record among those of its list; 0 for other rows. */
  readonly record: number;
  readonly reason: string;
  /** True for a row that holds too little: another option answers for it. */
  readonly isSparse: boolean;
}

/** The rows of an input that look like totals, in file order; each takes a few bytes, because a file may have many. */
export class SuspectList {
  /** The hint that names the options that settle those that look like totals. */
  hint = TOTALS_HINT;
  count = 0;
  /** How many of them hold too little. */
  sparse = 0;
  #bytes = Buffer.alloc(FIRST_BYTES);
  #used = 0;
  #last = 0;
  #lastRecord = 0;
  readonly #reasons: Pick<SuspectRow, "reason" | "isSparse">[] = [...ANY_REASONS];
  readonly #numbers = new Map<string, number>();

  /** Adds the next row in file order. */
  add({ start, record, reason, isSparse }: SuspectRow): void {
    this.count++;
    if (isSparse) this.sparse++;
    this.#write(start - this.#last);
    this.#last = start;
    this.#write(record - this.#lastRecord);
    this.#lastRecord = record;
    let number = this.#numbers.get(reason) ?? (isSparse ? 1 : 0);
    if (number < ANY_REASONS.length && this.#reasons.length < MOST_REASONS) {
      number = this.#reasons.push({ reason, isSparse }) - 1;
      this.#numbers.set(reason, number);
    }
    this.#write(number);
  }

  /** The rows in file order. */
  *rows(): Generator<SuspectRow> {
    let at = 0;
    const bytes = this.#bytes;
    const read = (): number => {
      let number = 0;
      for (let factor = 1; ; factor *= SEVEN_BITS) {
        const byte = bytes[at++]!;
        number += (byte % SEVEN_BITS) * factor;
        if (byte < SEVEN_BITS) return number;
      }
    };
    let start = 0;
    let record = 0;
    while (at < this.#used) {
      start += read();
      record += read();
      yield { start, record, ...this.#reasons[read()]! };
    }
  }

  #write(number: number): void {
    if (this.#used + 8 > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length);
    let rest = number;
    for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS)) {
      this.#bytes[this.#used++] = (rest % SEVEN_BITS) + SEVEN_BITS;
    }
    this.#bytes[this.#used++] = rest;
  }
}
