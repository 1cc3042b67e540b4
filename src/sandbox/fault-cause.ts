import type { FaultRule } from "./faults.ts";
import type { SandboxRecord } from "./store.ts";

/** What a rule may test about a request. */
export interface FaultRequest {
  readonly table: string;
  readonly kind: "create" | "update" | undefined;
  /** The body as sent, decompressed. */
  readonly text: string;
  readonly bytes: number;
  readonly records: readonly SandboxRecord[];
}

/** A rule with its counters. */
export interface RuleState {
  readonly rule: FaultRule;
  /** Requests that its kind, table and match apply to. */
  seen: number;
  struck: number;
  /** How many requests the rate still allows, and when that was calculated. */
  allowance: { requests: number; atMs: number } | undefined;
  /** When the token was first used under this rule. */
  firstUseMs: number | undefined;
}

/** True if the situation that the rule waits for has come; always true for a rule without one. */
export function causeHolds(state: RuleState, request: FaultRequest, nowMs: number): boolean {
  const { cause } = state.rule;
  switch (cause?.kind) {
    case undefined:
      return true;
    case "rate":
      return isOverRate(state, cause.perSecond, nowMs);
    case "body-limit":
      return request.bytes > cause.bytes;
    case "token-life":
      state.firstUseMs ??= nowMs;
      return nowMs - state.firstUseMs >= cause.ms;
    case "refuse":
      return request.records.some((record) => record[cause.field] === cause.value);
  }
}

/** A token bucket that holds one second's requests and refills evenly. */
function isOverRate(state: RuleState, perSecond: number, nowMs: number): boolean {
  const full = Math.max(1, perSecond);
  const { requests, atMs } = state.allowance ?? { requests: full, atMs: nowMs };
  const now = Math.min(full, requests + (Math.max(0, nowMs - atMs) / 1000) * perSecond);
  const isOver = now < 1;
  state.allowance = { requests: isOver ? now : now - 1, atMs: nowMs };
  return isOver;
}
