import type { FaultRule } from "./faults.ts";
import { causeHolds, type FaultRequest, type RuleState } from "./fault-cause.ts";
import { seededRandom } from "./seeded-random.ts";

/** The faults that hit one request. */
export interface Misfortune {
  /** The waits of all rules that strike, added up. */
  readonly latencyMs: number;
  /** The first rule that does more than wait. */
  readonly rule: FaultRule | undefined;
}

/** A rule and how often it has struck. */
export interface ActiveFault {
  readonly text: string;
  readonly struck: number;
}

/** The rules in force and their counters. */
export class FaultSet {
  readonly #seed: number;
  readonly #nowMs: () => number;
  #states: RuleState[] = [];
  #random: () => number;

  constructor(rules: readonly FaultRule[], seed: number, nowMs: () => number) {
    this.#seed = seed;
    this.#nowMs = nowMs;
    this.#random = seededRandom(seed);
    this.set(rules);
  }

  /** Replaces all rules; counters, token lives and random numbers start again. */
  set(rules: readonly FaultRule[]): void {
    this.#random = seededRandom(this.#seed);
    this.#states = rules.map((rule) => ({
      rule,
      seen: 0,
      struck: 0,
      allowance: undefined,
      firstUseMs: undefined,
    }));
  }

  active(): readonly ActiveFault[] {
    return this.#states.map(({ rule, struck }) => ({ text: rule.text, struck }));
  }

  /**
   * Counts the request for every rule that applies to it; waits add up, and the first rule that does more than wait
   * ends the search.
   */
  strike(request: FaultRequest): Misfortune {
    const nowMs = this.#nowMs();
    let latencyMs = 0;
    let rule: FaultRule | undefined;
    for (const state of this.#states) {
      if (!this.#isDue(state, request)) continue;
      const isWaitOnly = onlyWaits(state.rule);
      if (!isWaitOnly && rule !== undefined) continue;
      if (!causeHolds(state, request, nowMs)) continue;
      state.struck += 1;
      latencyMs += state.rule.latencyMs;
      if (!isWaitOnly) rule = state.rule;
    }
    return { latencyMs, rule };
  }

  #isDue(state: RuleState, request: FaultRequest): boolean {
    const { scope } = state.rule;
    if (scope.kind !== undefined && scope.kind !== request.kind) return false;
    if (scope.table !== undefined && scope.table !== request.table) return false;
    if (scope.match !== undefined && !request.text.includes(scope.match)) return false;
    state.seen += 1;
    const place = state.seen - scope.skip;
    if (place < 1 || place > scope.first || place % scope.every !== 0) return false;
    if (state.struck >= scope.times) return false;
    return scope.chance >= 1 || this.#random() < scope.chance;
  }
}

function onlyWaits(rule: FaultRule): boolean {
  return rule.effect === undefined && rule.msg === undefined && rule.slowBodyMs === 0;
}
