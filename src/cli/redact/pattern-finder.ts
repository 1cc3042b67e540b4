/** Above any unit and byte, so that a state and a unit make one number. */
const UNITS = 0x200000;

/** A sequence of units to find. */
interface Pattern {
  readonly units: readonly number[];
}

/**
 * Finds many patterns in one pass over a text (Aho and Corasick, 1975): its states are the prefixes of all patterns,
 * numbered by length, and each knows the longest other prefix with which it ends.
 */
export class PatternFinder<P extends Pattern> {
  readonly #next = new Map<number, number>();
  readonly #fallback = [0];
  /** The patterns that are equal to a state. */
  readonly #patterns = new Map<number, P[]>();
  /** For each state, the longest pattern among itself and the states with which it ends; 0 if there is none. */
  readonly #longest = [0];

  constructor(patterns: readonly P[]) {
    let open = patterns.map((pattern) => ({ pattern, state: 0 }));
    // All patterns are extended by one unit at a time, so the shorter state that a state falls back to is complete.
    for (let at = 0; open.length > 0; at++) {
      const ended = open.filter(({ pattern }) => pattern.units.length === at);
      for (const { pattern, state } of ended) this.#end(pattern, state);
      open = open
        .filter(({ pattern }) => pattern.units.length > at)
        .map(({ pattern, state }) => ({ pattern, state: this.#grow(state, pattern.units[at]!) }));
    }
    for (let state = 1; state < this.#fallback.length; state++) {
      this.#longest[state] = this.#patterns.has(state) ? state : this.#longest[this.#fallback[state]!]!;
    }
  }

  /**
   * Reports the patterns by where they end: at each position the longest that `isFound` accepts, with the index after
   * it.
   */
  find(units: Int32Array, length: number, isFound: (pattern: P, end: number) => boolean): void {
    let state = 0;
    for (let at = 0; at < length; at++) {
      state = this.#follow(state, units[at]!);
      for (let found = this.#longest[state]!; found !== 0; found = this.#longest[this.#fallback[found]!]!) {
        if (this.#patterns.get(found)!.some((pattern) => isFound(pattern, at + 1))) break;
      }
    }
  }

  #follow(state: number, unit: number): number {
    let from = state;
    for (;;) {
      const next = this.#next.get(from * UNITS + unit);
      if (next !== undefined) return next;
      if (from === 0) return 0;
      from = this.#fallback[from]!;
    }
  }

  #grow(state: number, unit: number): number {
    const known = this.#next.get(state * UNITS + unit);
    if (known !== undefined) return known;
    const grown = this.#fallback.length;
    this.#fallback.push(state === 0 ? 0 : this.#follow(this.#fallback[state]!, unit));
    this.#next.set(state * UNITS + unit, grown);
    return grown;
  }

  #end(pattern: P, state: number): void {
    const equal = this.#patterns.get(state);
    if (equal === undefined) this.#patterns.set(state, [pattern]);
    else equal.push(pattern);
  }
}
