import { findDrift } from "../../src/drift/find-drift.ts";
import type { Drift, FreshProfile, Profile } from "../../src/drift/find-drift.ts";
import { packDay } from "../../src/fields/date/calendar.ts";

/** Random numbers from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** From the normal distribution. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

/** Public holidays of France with a fixed day, as month and day. */
const HOLIDAYS = new Set([101, 501, 508, 714, 815, 1101, 1111, 1225]);

/** A shop whose table gets a file each night. */
export interface Shop {
  /** Rows on an ordinary working day. */
  readonly rows: number;
  /** The share of these rows on a Saturday, Sunday or holiday; 0: there is no file then. */
  readonly weekend: number;
  readonly august: number;
  readonly monthEnd: number;
  readonly noise: number;
  /** The change of the number of rows in a year. */
  readonly growth: number;
  readonly updates: number;
  readonly spread: number;
}

export function drawShop(chance: Chance): Shop {
  return {
    rows: Math.round(Math.exp(chance.between(Math.log(40), Math.log(60_000)))),
    weekend: chance.next() < 0.2 ? 0 : chance.between(0.2, 0.9),
    august: chance.between(0.4, 0.9),
    monthEnd: chance.between(1, 3.5),
    noise: chance.between(0.05, 0.3),
    growth: chance.between(-0.3, 0.6),
    updates: chance.next() < 0.3 ? 1 : chance.between(0.05, 0.99),
    spread: chance.between(0.4, 1.3),
  };
}

/** The file of one night; `undefined` if there is none. */
function drawNight(shop: Shop, day: Date, chance: Chance): FreshProfile | undefined {
  const isQuiet = day.getDay() % 6 === 0 || HOLIDAYS.has((day.getMonth() + 1) * 100 + day.getDate());
  if (isQuiet && shop.weekend === 0) return undefined;
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 2);
  const year = 1 + (shop.growth * (day.getMonth() + day.getDate() / 31)) / 12;
  const usual =
    shop.rows *
    year *
    (isQuiet ? shop.weekend : 1) *
    (day.getMonth() === 7 ? shop.august : 1) *
    (next.getMonth() === day.getMonth() ? 1 : shop.monthEnd);
  const rows = Math.max(0, Math.round(usual * Math.exp(shop.noise * chance.normal()) + chance.normal()));
  const some = (share: number): number => {
    const least = Math.min(share, 1 - share) * rows * Math.exp(0.2 * chance.normal());
    const few = Math.max(0, Math.min(rows, Math.round(least + Math.sqrt(least) * chance.normal())));
    return share < 0.5 ? few : rows - few;
  };
  const updates = some(shop.updates);
  const paid = some(0.9);
  const dated = some(0.95);
  const closed = some(0.3);
  return {
    day: packDay(day),
    file: "orders.csv",
    rows,
    updates,
    columns: [
      { field: "cle", filled: updates },
      { field: "num_commande", filled: rows },
      { field: "date_billed", filled: dated },
      { field: "date_closed", filled: closed },
      { field: "paid_amount", filled: paid, sum: sumOf(paid, shop.spread, chance).toFixed(2) },
      { field: "note", filled: some(0.35) },
      { field: "claim", filled: some(0.004) },
    ],
  };
}

/** A sum of amounts as in invoices: some are large, some are negative. */
function sumOf(count: number, spread: number, chance: Chance): number {
  const drawn = Math.min(count, 400);
  let sum = 0;
  for (let at = 0; at < drawn; at++) {
    const amount = 100 * Math.exp(spread * chance.normal()) * (chance.next() < 0.002 ? 50 : 1);
    sum += chance.next() < 0.04 ? -amount : amount;
  }
  return drawn === 0 ? 0 : (sum * count) / drawn;
}

/** The nights from a day on. */
export function* nights(shop: Shop, chance: Chance, begin: Date, days = 365): Generator<FreshProfile> {
  for (let at = 0; at < days; at++) {
    const day = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + at);
    const file = drawNight(shop, day, chance);
    if (file !== undefined) yield file;
  }
}

/** Takes a file as a push with `--drift note` does; returns what was reported. */
export function take(before: Profile[], file: FreshProfile): readonly Drift[] {
  const found = findDrift(file, before);
  before.push({ ...file, told: found.map(({ aspect }) => aspect) });
  if (before.length > 400) before.shift();
  return found;
}
