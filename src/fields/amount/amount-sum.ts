import { type AmountScan, COMMA, DOT } from "./amount.ts";

/** With more decimals than this no sum is kept: such a column does not hold money. */
const MAX_DECIMALS = 30;
const CENTS = 2;
const MAX_SAFE_DIGITS = 15;
// Even with one more value of fifteen digits added, the number is exact.
const FLUSH_AT = 4e15;

/** A decimal number: `units` times ten to the power of minus `decimals`. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** The exact sum of a column whose decimal mark may still be open, in bounded memory; digits never become floats. */
export class AmountSum {
  /** Amounts that have the same value under every mark left. */
  readonly #certain = new Sums();
  /** By mark: the others, whose mark may group or begin the decimals. */
  readonly #open: Readonly<Record<number, Sums>> = { [DOT]: new Sums(), [COMMA]: new Sums() };
  #isLost = false;

  /** Adds what was scanned and found readable. */
  add(scan: AmountScan): void {
    if (!scan.isExact && scan.isAmbiguous())
      for (const mark of [DOT, COMMA]) this.#open[mark]!.add(scan, scan.countDecimals(mark));
    else {
      const decimals = scan.countDecimals(!scan.isExact && scan.marks === COMMA ? COMMA : DOT);
      if (decimals > MAX_DECIMALS) this.#isLost = true;
      else this.#certain.add(scan, decimals);
    }
  }

  /** Adds an amount that has only one reading, of fifteen digits at most. */
  addUnits(units: number, decimals: number): void {
    this.#certain.addUnits(units, decimals);
  }

  /** The sum with this decimal mark; `undefined` if it was not kept. */
  total(mark: number): Decimal | undefined {
    if (this.#isLost) return undefined;
    const parts = [...this.#certain.parts(), ...this.#open[mark]!.parts()];
    const decimals = Math.max(0, ...parts.map((part) => part.decimals));
    return { units: parts.reduce((sum, part) => sum + scaleUnits(part, decimals), 0n), decimals };
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

// Sums by number of decimals: as safe integers while they fit, and beyond that as bigints.
class Sums {
  readonly #small: number[] = [];
  readonly #big: bigint[] = [];

  add({ text, start, end, isNegative }: AmountScan, decimals: number): void {
    const digits = text.slice(start, end).replaceAll(/\D/g, "");
    if (digits.length <= MAX_SAFE_DIGITS)
      this.addUnits(isNegative ? -Number(digits) : Number(digits), decimals);
    else this.#addBig(decimals, isNegative ? -BigInt(digits) : BigInt(digits));
  }

  /** The same for whole units. */
  addUnits(units: number, decimals: number): void {
    const sum = (this.#small[decimals] ?? 0) + units;
    if (sum > FLUSH_AT || sum < -FLUSH_AT) {
      this.#addBig(decimals, BigInt(sum));
      this.#small[decimals] = 0;
    } else {
      this.#small[decimals] = sum;
    }
  }

  parts(): Decimal[] {
    const count = Math.max(this.#small.length, this.#big.length);
    return Array.from({ length: count }, (_, decimals) => ({
      units: BigInt(this.#small[decimals] ?? 0) + (this.#big[decimals] ?? 0n),
      decimals,
    }));
  }

  #addBig(decimals: number, units: bigint): void {
    this.#big[decimals] = (this.#big[decimals] ?? 0n) + units;
  }
}
