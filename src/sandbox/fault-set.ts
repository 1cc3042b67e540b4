import { STATUS_CODES } from "node:http";
import type { FaultCause, FaultEffect, FaultRule, RetryAfter } from "./fault-rules.ts";
import { type Answer, answerMsg, specified } from "./reply.ts";
import type { SandboxRecord } from "./store.ts";

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32), so that a rehearsal can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
  /** Decides by `chance`. */
  readonly random: () => number;
  /** Requests that its kind, table and match apply to. */
  seen: number;
  struck: number;
  /** How many requests the rate still allows, and when that was calculated. */
  allowance: { requests: number; atMs: number } | undefined;
  /** When the token was first used under this rule. */
  firstUseMs: number | undefined;
}

/** True if the situation that the rule waits for has come; always true for a rule without one. */
function causeHolds(state: RuleState, request: FaultRequest, nowMs: number): boolean {
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

/** The faults that hit one request. */
export interface Misfortune {
  /** The waits of all rules that strike, added up. */
  readonly latencyMs: number;
  /** True if a rule has the service honour Idempotency-Key. */
  readonly honoursKeys: boolean;
  /** The first rule that does more than wait and honour keys. */
  readonly rule: FaultRule | undefined;
}

/** A rule and how often it has struck. */
export interface ActiveFault {
  readonly text: string;
  readonly struck: number;
}

/** The rules in force and their counters. */
export class FaultSet {
  readonly #nowMs: () => number;
  #states: RuleState[] = [];

  constructor(rules: readonly FaultRule[], nowMs: () => number) {
    this.#nowMs = nowMs;
    this.set(rules);
  }

  /** Replaces all rules; counters, token lives and random numbers start again. */
  set(rules: readonly FaultRule[]): void {
    this.#states = rules.map((rule) => ({
      rule,
      random: seededRandom(rule.scope.seed),
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
    let honoursKeys = false;
    let rule: FaultRule | undefined;
    for (const state of this.#states) {
      if (!this.#isDue(state, request)) continue;
      const isWaitOnly = onlyWaits(state.rule);
      if (!isWaitOnly && rule !== undefined) continue;
      if (!causeHolds(state, request, nowMs)) continue;
      state.struck += 1;
      latencyMs += state.rule.latencyMs;
      honoursKeys ||= state.rule.honoursKeys;
      if (!isWaitOnly) rule = state.rule;
    }
    return { latencyMs, honoursKeys, rule };
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
    return scope.chance >= 1 || state.random() < scope.chance;
  }
}

function onlyWaits(rule: FaultRule): boolean {
  return rule.effect === undefined && rule.msg === undefined && rule.slowBodyMs === 0;
}

/** The answer that a rule gives in place of the normal one. */
export function faultAnswer(
  rule: FaultRule,
  effect: Extract<FaultEffect, { kind: "answer" }>,
  request: FaultRequest,
  nowMs: number,
): Answer {
  const status = effect.status ?? causeStatus(rule.cause) ?? (effect.location === undefined ? 200 : 302);
  const msg = rule.msg ?? causeMsg(rule.cause, request) ?? usualMsg(status);
  const headers: Record<string, string> = {};
  if (effect.location !== undefined) headers["location"] = effect.location;
  const retryAfter = effect.retryAfter ?? usualWait(rule.cause);
  if (retryAfter !== undefined) headers["retry-after"] = retryAfterValue(retryAfter, nowMs);
  const answer = { ...answerMsg(status, msg, headers), slowBodyMs: rule.slowBodyMs };
  if (effect.body === "empty") return { ...answer, body: "" };
  if (effect.body === "html")
    return { ...answer, contentType: "text/html; charset=utf-8", body: htmlPage(status, msg) };
  return answer;
}

function causeStatus(cause: FaultCause | undefined): number | undefined {
  switch (cause?.kind) {
    case undefined:
      return undefined;
    case "rate":
      return 429;
    case "body-limit":
      return 413;
    case "token-life":
      return 401;
    case "refuse":
      return 400;
  }
}

function causeMsg(cause: FaultCause | undefined, request: FaultRequest): string | undefined {
  switch (cause?.kind) {
    case undefined:
      return undefined;
    case "rate":
      return "Too many requests.";
    case "body-limit":
      return `The body is larger than ${cause.bytes} bytes.`;
    case "token-life":
      return specified.invalidToken.msg;
    case "refuse": {
      const index = request.records.findIndex((record) => record[cause.field] === cause.value);
      return `Record ${index + 1}, field ${JSON.stringify(cause.field)}: the value ${JSON.stringify(cause.value)} is refused.`;
    }
  }
}

function usualMsg(status: number): string {
  const row = Object.values(specified).find((candidate) => candidate.status === status);
  return status === 400 || row === undefined ? `${STATUS_CODES[status] ?? `Status ${status}`}.` : row.msg;
}

function usualWait(cause: FaultCause | undefined): RetryAfter | undefined {
  if (cause?.kind !== "rate") return undefined;
  return { seconds: Math.max(1, Math.ceil(1 / cause.perSecond)), asDate: false };
}

function retryAfterValue({ seconds, asDate }: RetryAfter, nowMs: number): string {
  return asDate ? new Date(nowMs + seconds * 1000).toUTCString() : String(seconds);
}

function htmlPage(status: number, msg: string): string {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const text = msg.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html>\n<html><head><title>${title}</title></head>\n<body><h1>${title}</h1><p>${text}</p></body></html>\n`;
}
