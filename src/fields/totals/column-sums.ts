import { writeUnder } from "../amount/amount-evidence.ts";
import { type AmountScan, DOT, MARKS } from "../amount/amount-scan.ts";
import { type AmountSum, type Decimal, parseDecimal, scaleUnits } from "../amount/amount-sum.ts";
import type { SumSoFar } from "./rows-so-far.ts";

/** The amounts of rows that look like totals; they are left out of other totals. */
interface Suspects {
  readonly nonZero: number;
  /** By mark; `undefined` if the sum was not kept. */
  readonly sums: readonly (Decimal | undefined)[];
}

/** A position in the file: the sum of all amounts above it, and of those that belong to suspects. */
interface Place {
  readonly sum: AmountSum;
  readonly suspects: Suspects;
}

const NONE: Decimal = { units: 0n, decimals: 0 };
const NO_SUSPECTS: Suspects = { nonZero: 0, sums: [NONE, NONE, NONE] };
/** Floats that differ by more than this are different sums. */
const FLOAT_ERROR = 1e-6;

/**
 * The sums of one amount column that a total may hold: of all rows above, of those since a blank row, of those since
 * another total.
 */
export class ColumnSums {
  readonly index: number;
  readonly #evidence: SumSoFar;
  #suspects = NO_SUSPECTS;
  /** The suspect that was judged last, and the sum without its amounts, until the next row is judged. */
  #suspect: { readonly before: AmountSum; readonly isCarried: boolean } | undefined;
  /** The positions after the last blank row, after the last gap (a blank line, a repeated header), and after the last suspect. */
  #blank: Place | undefined;
  #gap: Place | undefined;
  #last: Place | undefined;
  /** The position after the last suspect that ends a group, which a sum carried from page to page does not. */
  #group: Place | undefined;

  constructor(index: number, evidence: SumSoFar) {
    this.index = index;
    this.#evidence = evidence;
  }

  /** False as long as nothing shows that the column holds amounts. */
  get isOpen(): boolean {
    return this.#evidence.marks !== 0;
  }

  /** True if the amount is the sum of at least `least` non-zero amounts above it; a sum of zero has to be asked for. */
  addsUp(scan: AmountScan, least: number, isZero = false): boolean {
    const { marks, pinned } = this.#evidence;
    const possible = scan.isExact ? DOT : scan.marks & marks & pinned;
    return MARKS.some((mark) => (possible & mark) !== 0 && this.#addsUpUnder(mark, scan, least, isZero));
  }

  /** Notes that the next amounts to be added belong to a suspect, which may carry its sum to another page. */
  expectSuspect(isCarried: boolean): void {
    this.#suspect = { before: this.#evidence.sum.copy(), isCarried };
  }

  /** Notes that a blank row has passed, or that there is a gap between two rows. */
  passBlank(isGap: boolean): void {
    if (isGap) this.#gap = this.#place();
    else this.#blank = this.#place();
  }

  /** Notes that the amounts of the suspect, if there was one, are added. */
  passSuspect(): void {
    if (this.#suspect === undefined) return;
    const { before, isCarried } = this.#suspect;
    this.#suspect = undefined;
    const { sum } = this.#evidence;
    const { nonZero, sums } = this.#suspects;
    const added = nonZero + sum.nonZero - before.nonZero;
    if (added > nonZero) {
      const add = (mark: number): Decimal | undefined =>
        combine(combine(sum.total(mark), before.total(mark), -1n), sums[mark], 1n);
      this.#suspects = { nonZero: added, sums: [NONE, ...MARKS.map(add)] };
    }
    this.#last = this.#place();
    if (!isCarried) this.#group = this.#last;
  }

  #place(): Place {
    return { sum: this.#evidence.sum.copy(), suspects: this.#suspects };
  }

  #addsUpUnder(mark: number, scan: AmountScan, least: number, isZero: boolean): boolean {
    const text = writeUnder(mark, scan, undefined);
    if (typeof text !== "string") return false;
    const amount = Number(text);
    if ((amount === 0) !== isZero) return false;
    return [undefined, this.#blank, this.#gap, this.#last, this.#group].some((since) =>
      this.#isSumSince(since, mark, amount, text, least),
    );
  }

  #isSumSince(since: Place | undefined, mark: number, amount: number, text: string, least: number): boolean {
    const { sum } = this.#evidence;
    const before = since?.suspects ?? NO_SUSPECTS;
    const count = sum.nonZero - this.#suspects.nonZero - ((since?.sum.nonZero ?? 0) - before.nonZero);
    if (count < least) return false;
    const all = sum.approximate(mark);
    const above = since?.sum.approximate(mark) ?? 0;
    const apart = toFloat(this.#suspects.sums[mark]) - toFloat(before.sums[mark]);
    const error = FLOAT_ERROR * (1 + Math.abs(all) + Math.abs(above) + Math.abs(apart));
    if (Math.abs(all - above - apart - amount) > error) return false;
    const suspects = combine(this.#suspects.sums[mark], before.sums[mark], -1n);
    const rows = combine(
      combine(sum.total(mark), since === undefined ? NONE : since.sum.total(mark), -1n),
      suspects,
      -1n,
    );
    const rest = combine(rows, parseDecimal(text), -1n);
    return rest?.units === 0n;
  }
}

function combine(left: Decimal | undefined, right: Decimal | undefined, sign: bigint): Decimal | undefined {
  if (left === undefined || right === undefined) return undefined;
  const decimals = Math.max(left.decimals, right.decimals);
  return { units: scaleUnits(left, decimals) + sign * scaleUnits(right, decimals), decimals };
}

function toFloat(decimal: Decimal | undefined): number {
  return decimal === undefined ? 0 : Number(decimal.units) / 10 ** decimal.decimals;
}
