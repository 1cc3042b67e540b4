import { COMMA, DOT, type ScannedAmount } from "./amount.ts";

/** With more decimals than this no sum is kept: such a column does not hold money. */
const MAX_DECIMALS = 30;
const CENTS = 2;

/** A decimal number: `units` times ten to the power of minus `decimals`. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** The exact sum of a column whose decimal mark may still be open, in bounded memory; digits never become floats. */
export class AmountSum {
  /** By decimal mark, and by number of decimals. */
  readonly #sums: Readonly<Record<number, bigint[]>> = { [DOT]: [], [COMMA]: [] };
  #isLost = false;

  /** Adds an amount that can be read. */
  add(amount: ScannedAmount): void {
    const { body, isNegative, isExact, marks } = amount;
    const units = BigInt(body.replaceAll(/\D/g, ""));
    for (const mark of [DOT, COMMA]) {
      // Under a mark that it excludes, the amount has its own value.
      const own = isExact ? DOT : marks & mark || marks;
      this.#add(mark, isNegative ? -units : units, amount.countDecimals(own));
    }
  }

  /** Adds whole units of an amount that has only one reading. */
  addUnits(units: number, decimals: number): void {
    for (const mark of [DOT, COMMA]) this.#add(mark, BigInt(units), decimals);
  }

  /** The sum with this decimal mark; `undefined` if it was not kept. */
  total(mark: number): Decimal | undefined {
    if (this.#isLost) return undefined;
    const sums = this.#sums[mark]!;
    const decimals = Math.max(0, sums.length - 1);
    const scaled = sums.map((units, own) => scaleUnits({ units, decimals: own }, decimals));
    return { units: scaled.reduce((sum, part) => sum + part, 0n), decimals };
  }

  #add(mark: number, units: bigint, decimals: number): void {
    if (decimals > MAX_DECIMALS) this.#isLost = true;
    else {
      const sums = this.#sums[mark]!;
      while (sums.length <= decimals) sums.push(0n);
      sums[decimals]! += units;
    }
  }
}

/** The units of a decimal number, scaled to at least as many decimals as it has. */
export function scaleUnits({ units, decimals }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - decimals);
}

/** The difference of two decimal numbers, exactly. */
export function subtract(from: Decimal, amount: Decimal): Decimal {
  const decimals = Math.max(from.decimals, amount.decimals);
  return { units: scaleUnits(from, decimals) - scaleUnits(amount, decimals), decimals };
}

/** Writes a decimal number with as few decimals as it needs, but cents with two: `-437.50`. */
export function writeDecimal({ units, decimals }: Decimal): string {
  if (decimals > CENTS && units % 10n === 0n)
    return writeDecimal({ units: units / 10n, decimals: decimals - 1 });
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const sign = units < 0n ? "-" : "";
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-decimals)}`;
}

/** Reads a wire amount: `-437.50`. */
export function parseDecimal(amount: string): Decimal {
  const at = amount.indexOf(".");
  return { units: BigInt(amount.replace(".", "")), decimals: at === -1 ? 0 : amount.length - at - 1 };
}
