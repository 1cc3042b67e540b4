import { describe, expect, it } from "vitest";
import { type Drift, findDrift, type Profile, type ProfiledColumn } from "../../src/drift/find-drift.ts";
import { DAY_MS, formatDate, packDay, packInstant } from "../../src/fields/date/calendar.ts";
import { seeded } from "../chaos/random.ts";

const MONDAY = 20260105;

interface Drawn {
  readonly rows?: number;
  readonly updates?: number;
  readonly lacks?: string;
}

/** The file of a night. */
function night(at: number, { rows = 1000, updates = rows, lacks = "" }: Drawn = {}) {
  const day = packInstant(Date.parse(formatDate(MONDAY)) + at * DAY_MS);
  const columns: Profile["columns"] = [
    { field: "cle", filled: updates },
    { field: "date_billed", filled: rows },
    { field: "paid_amount", filled: rows, sum: `${rows * 100}.00` },
    { field: "note", filled: rows },
  ];
  const kept = columns.filter(({ field }) => field !== lacks);
  return { day, file: "orders.csv", rows, updates, columns: kept } satisfies Profile;
}

function usual(nights: number): Profile[] {
  const before: Profile[] = [];
  for (let at = 0; at < nights; at++) take(before, night(at));
  return before;
}

const aspects = (file: Profile, before: readonly Profile[]): readonly string[] =>
  findDrift(file, before).map(({ aspect }) => aspect);

describe("a file among those before it", () => {
  it("is reported from the fourth file on", () => {
    expect(aspects(night(2, { rows: 5 }), usual(2))).toEqual([]);
    expect(aspects(night(3, { rows: 5 }), usual(3))).toEqual(["rows"]);
  });

  it("is reported with its numbers", () => {
    const texts = (file: Profile): string =>
      findDrift(file, usual(20))
        .map(({ text }) => text)
        .join("; ");
    expect(texts(night(20, { rows: 90 }))).toBe("rows 1,000 -> 90");
    expect(texts(night(20, { rows: 9000 }))).toBe("rows 1,000 -> 9,000");
    expect(texts(night(20, { updates: 0 }))).toBe(
      "updates 1,000 and creates 0 -> updates 0 and creates 1,000",
    );
    expect(texts(night(20, { lacks: "note" }))).toBe(
      "the column of note is gone, which all of the last 20 files had",
    );
    const large = night(20);
    const columns = large.columns.map((column) =>
      column.sum === undefined ? column : { ...column, sum: "100000000.00" },
    );
    expect(texts({ ...large, columns })).toBe(
      "the sum of paid_amount is 100000.00 in 1,000 rows -> 100000000.00 in 1,000 rows",
    );
  });

  it("is reported from five times fewer or more rows on, and from sums thirty times larger or smaller", () => {
    const withRows = (rows: number) => aspects(night(20, { rows }), usual(20));
    // Ten rows more or less prove nothing.
    expect([191, 192, 5050, 5051].map(withRows)).toEqual([["rows"], [], [], ["rows"]]);
    const withSum = (sum: string) => {
      const columns = night(20).columns.map((column) =>
        column.sum === undefined ? column : Object.assign({}, column, { sum }),
      );
      return aspects({ ...night(20), columns }, usual(20));
    };
    const sums = ["3333.00", "3334.00", "3000000.00", "3000001.00"];
    expect(sums.map(withSum)).toEqual([["sum:paid_amount"], [], [], ["sum:paid_amount"]]);
  });

  it("is reported once, and then it is usual", () => {
    const before = usual(20);
    const reported = [20, 21, 22].map((at) => take(before, night(at, { lacks: "note" })).length);
    expect(reported).toEqual([1, 0, 0]);
  });

  it("may be one of two kinds under one name", () => {
    const before: Profile[] = [];
    let told = 0;
    for (let at = 0; at < 365; at++) {
      told += Number(take(before, night(at)).length > 0);
      if (at % 30 === 29) told += Number(take(before, night(at, { rows: 40_000, lacks: "note" })).length > 0);
    }
    expect(told).toBeLessThanOrEqual(2);
    expect(aspects(night(365, { rows: 90 }), before)).toEqual(["rows"]);
  });

  it("without rows is reported if other files have rows", () => {
    const columns = night(0, { rows: 0 }).columns.map(({ field }) => ({ field, filled: 0 }));
    expect(aspects({ ...night(20, { rows: 0 }), columns }, usual(20))).toEqual(["rows"]);
    const before: Profile[] = [];
    for (let at = 0; at < 5; at++) before.push({ ...night(at, { rows: 0 }), columns });
    expect(aspects({ ...night(5, { rows: 0 }), columns }, before)).toEqual([]);
    expect(aspects(night(5, { rows: 4 }), before)).toEqual([]);
  });
});

const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1);

/** A year that begins on any day. */
function* year(seed: number, change: (shop: Shop) => Shop = (shop) => shop): Generator<Profile> {
  const chance = new Chance(seed);
  const shop = change(drawShop(chance));
  yield* nights(shop, chance, new Date(2026, 0, 1 + Math.floor(chance.between(0, 365))));
}

/** Weekends, holidays, Augusts and month ends of a shop that is large enough to break. */
const OF_SIZE = (shop: Shop): Shop => ({
  ...shop,
  rows: Math.max(shop.rows, 1500),
  noise: Math.min(shop.noise, 0.15),
  monthEnd: Math.min(shop.monthEnd, 1.5),
  updates: Math.max(shop.updates, 0.7),
});

const mapColumns = (file: Profile, change: (column: ProfiledColumn) => ProfiledColumn): Profile => ({
  ...file,
  columns: file.columns.map(change),
});

const BREAKS: Readonly<Record<string, readonly [aspect: string, (file: Profile) => Profile]>> = {
  "a column gone": [
    "columns:note",
    (file) => ({ ...file, columns: file.columns.filter(({ field }) => field !== "note") }),
  ],
  "rows cut to a tenth": [
    "rows",
    (file) => ({ ...file, rows: Math.round(file.rows / 10), updates: Math.round(file.updates / 10) }),
  ],
  "sums times 1000": [
    "sum:paid_amount",
    (file) =>
      mapColumns(file, (column) =>
        column.sum === undefined ? column : { ...column, sum: (1000 * Number(column.sum)).toFixed(2) },
      ),
  ],
  "updates that become creates": [
    "updates",
    (file) =>
      mapColumns({ ...file, updates: 0 }, (column) =>
        column.field === "cle" ? { ...column, filled: 0 } : column,
      ),
  ],
};

describe("a year of ordinary nights", () => {
  it.each(SEEDS)("is reported twice at most (seed %i)", (seed) => {
    const before: Profile[] = [];
    const told = [...year(seed)].filter((file) => take(before, file).length > 0);
    expect(before.length).toBeGreaterThan(200);
    expect(told.length).toBeLessThanOrEqual(2);
  });

  it.each(Object.entries(BREAKS))("ends with %s, which is reported at once", (_, [aspect, change]) => {
    const silent: string[] = [];
    for (const seed of SEEDS.slice(0, 4)) {
      const before: Profile[] = [];
      for (const [at, file] of [...year(seed, OF_SIZE)].slice(0, 100).entries()) {
        const isBroken = at % 30 === 29;
        const told = isBroken ? take([...before], change(file)).map((drift) => drift.aspect) : [aspect];
        if (!told.includes(aspect)) silent.push(`seed ${seed}, file ${at}, day ${file.day}`);
        take(before, file);
      }
    }
    expect(silent).toEqual([]);
  });
});

/** Random numbers from a seed. */
class Chance {
  /** From 0 to below 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded((seed * 2_654_435_761) >>> 0);
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
interface Shop {
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

function drawShop(chance: Chance): Shop {
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
function drawNight(shop: Shop, day: Date, chance: Chance): Profile | undefined {
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
function* nights(shop: Shop, chance: Chance, begin: Date, days = 365): Generator<Profile> {
  for (let at = 0; at < days; at++) {
    const day = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + at);
    const file = drawNight(shop, day, chance);
    if (file !== undefined) yield file;
  }
}

/** Takes a file as a push with `--drift note` does; returns what was reported. */
function take(before: Profile[], file: Profile): readonly Drift[] {
  const found = findDrift(file, before);
  before.push(file);
  if (before.length > 400) before.shift();
  return found;
}
