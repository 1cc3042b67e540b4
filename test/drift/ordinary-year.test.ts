import { describe, expect, it } from "vitest";
import type { FreshProfile, Profile, ProfiledColumn } from "../../src/drift/find-drift.ts";
import { Chance, drawShop, nights, type Shop, take } from "./synthetic-year.ts";

const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1);

/** A year that begins on any day. */
function* year(seed: number, change: (shop: Shop) => Shop = (shop) => shop): Generator<FreshProfile> {
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

const mapColumns = (
  file: FreshProfile,
  change: (column: ProfiledColumn) => ProfiledColumn,
): FreshProfile => ({
  ...file,
  columns: file.columns.map(change),
});

const BREAKS: Readonly<Record<string, readonly [aspect: string, (file: FreshProfile) => FreshProfile]>> = {
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
