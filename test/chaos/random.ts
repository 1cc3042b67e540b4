/** Random choices from a seed. */
export interface Draw {
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number;
  /** True in this many of a hundred cases. */
  readonly percent: (chance: number) => boolean;
  readonly oneOf: <T>(items: readonly T[]) => T;
}

export function createDraw(seed: number): Draw {
  const random = seeded(seed);
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    between,
    percent: (chance) => random() * 100 < chance,
    oneOf: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
  };
}

/** Numbers from 0 to below 1, from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
