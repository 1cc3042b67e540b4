import { seededRandom } from "../../src/sandbox/seeded-random.ts";

/** Draws by a seed. */
export interface Draw {
  /** A whole number from `least` to `most`, both counted. */
  readonly between: (least: number, most: number) => number;
  /** True in so many of a hundred cases. */
  readonly percent: (chance: number) => boolean;
  readonly oneOf: <T>(items: readonly T[]) => T;
}

export function createDraw(seed: number): Draw {
  const random = seededRandom(seed);
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    between,
    percent: (chance) => random() * 100 < chance,
    oneOf: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
  };
}
