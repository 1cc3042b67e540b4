import { STATUS_CODES } from "node:http";
import { RecPushError } from "../model/failure.ts";
import { type Answer, answerMsg, type Reply, specified } from "./reply.ts";
import type { SandboxRecord } from "./store.ts";

interface GrammarRow {
  readonly key: string;
  /** The text after `=`; empty if there is none, in brackets if it is optional. */
  readonly value: string;
  readonly meaning: string;
}

const EFFECTS = [
  { key: "status", value: "CODE", meaning: "answer this status; nothing is applied" },
  { key: "msg", value: "TEXT", meaning: "the msg of the answer" },
  { key: "retry-after", value: "SECONDS", meaning: "Retry-After header, in seconds" },
  {
    key: "drop",
    value: "before|after",
    meaning: "cut the connection instead of answering, before or after applying",
  },
  { key: "hang", value: "", meaning: "never answer; nothing is applied" },
  {
    key: "after-applying",
    value: "[N]",
    meaning: "apply all records first, or the first N (status, hang)",
  },
  { key: "latency", value: "MS", meaning: "wait this long before applying and answering" },
  { key: "rate", value: "N", meaning: "above N requests a second: 429 with Retry-After" },
  {
    key: "refuse",
    value: "FIELD:VALUE",
    meaning: "a batch with such a record: 400 naming it; nothing is applied",
  },
  {
    key: "honour-keys",
    value: "",
    meaning: "apply a request with an Idempotency-Key once, however often it comes",
  },
] as const satisfies readonly GrammarRow[];

const SCOPES = [
  {
    key: "kind",
    value: "create|update",
    meaning: "only batches with a create, or only those without",
  },
  { key: "match", value: "TEXT", meaning: "only bodies with this text" },
  { key: "skip", value: "N", meaning: "not the first N" },
  { key: "times", value: "N", meaning: "strike at most N times" },
] as const satisfies readonly GrammarRow[];

/** Every word of a fault rule, in the order of the help. */
export const faultGrammar = [...EFFECTS, ...SCOPES];

/** A word that a fault rule may hold. */
type FaultKey = (typeof faultGrammar)[number]["key"];

/** The grammar as text for a terminal, one line a word. */
export function faultGrammarText(): string {
  const width = Math.max(...faultGrammar.map((row) => wordOf(row).length));
  const lines = (rows: readonly GrammarRow[]): string[] =>
    rows.map((row) => `    ${wordOf(row).padEnd(width)}  ${row.meaning}`);
  return ["  what happens:", ...lines(EFFECTS), "  to which requests:", ...lines(SCOPES)].join("\n");
}

function wordOf({ key, value }: GrammarRow): string {
  if (value === "") return key;
  return value.startsWith("[") ? `${key}[=${value.slice(1, -1)}]` : `${key}=${value}`;
}

/** One rule of misbehaviour. */
type FaultRule = ReturnType<typeof parseFault>;

const DAY_MS = 86_400_000;

/** Reads a rule such as `status=503,times=2`; throws a usage error that names the possible words. */
export function parseFault(text: string) {
  const words = readWords(text);
  const whole = (key: FaultKey, min: number, max = 1_000_000_000): number | undefined =>
    numberOf(text, words, key, min, max, true);
  const drop = choiceOf(text, words, "drop", ["before", "after"]);
  const isHanging = words.has("hang");
  const status = whole("status", 200, 599);
  const refuse = words.get("refuse")?.match(/^(?<field>[^:]+):(?<value>.*)$/s)?.groups;
  if (words.has("refuse") && refuse === undefined) fail(text, "refuse needs FIELD:VALUE");
  const rule = {
    /** `undefined` if the rest of the rule decides it. */
    status,
    msg: words.get("msg"),
    retryAfter: whole("retry-after", 0),
    /** No answer is given. */
    silence: isHanging ? ("hang" as const) : drop && ("drop" as const),
    /** How many records of the batch are applied before a status or a silence. */
    appliedFirst: drop === "after" ? Infinity : appliedFirstOf(words, whole("after-applying", 1)),
    latencyMs: whole("latency", 0, DAY_MS) ?? 0,
    perSecond: numberOf(text, words, "rate", 0.001, 1_000_000, false),
    refuse: refuse && { field: refuse["field"] ?? "", value: refuse["value"] ?? "" },
    honoursKeys: words.has("honour-keys"),
    kind: choiceOf(text, words, "kind", ["create", "update"]),
    match: words.get("match"),
    skip: whole("skip", 0) ?? 0,
    times: whole("times", 1) ?? Infinity,
  };
  if (EFFECTS.every(({ key }) => !words.has(key)))
    fail(text, "it does not say what happens, for example status=503, drop=after or latency=200");
  for (const [one, others] of EXCLUDED)
    for (const other of others)
      if (words.has(one) && words.has(other)) fail(text, `${one} and ${other} need a rule each`);
  if (words.has("after-applying") && status === undefined && !isHanging)
    fail(text, "after-applying goes with a status or hang");
  if (words.has("retry-after") && status === undefined && !words.has("rate"))
    fail(text, "retry-after goes with a status or a rate");
  return rule;
}

const EXCLUDED: readonly (readonly [FaultKey, readonly FaultKey[]])[] = [
  ["drop", ["hang", "status", "msg", "retry-after", "after-applying"]],
  ["hang", ["status", "msg", "retry-after"]],
  ["rate", ["refuse"]],
];

function fail(text: string, why: string): never {
  throw new RecPushError("usage", "bad-fault", `The fault "${text}" cannot be set: ${why}.`, {
    hint: "rec-push sandbox --help lists every word of a fault",
  });
}

type FaultWords = ReadonlyMap<FaultKey, string | undefined>;

/** Splits `status=503,msg="Busy, sorry"` at its commas. A value in double quotes may hold commas, and `""` for a quote. */
function readWords(text: string): FaultWords {
  const words = new Map<FaultKey, string | undefined>();
  const word = /\s*([^=,\s]*)\s*(?:=\s*(?:"((?:[^"]|"")*)"\s*|([^,]*)))?(,|$)/y;
  for (;;) {
    const at = word.lastIndex;
    const found = word.exec(text);
    if (found === null) return fail(text, `it cannot be read from "${text.slice(at)}" on`);
    const [, name = "", quoted, plain, end] = found;
    if (quoted === undefined && plain?.startsWith('"') === true)
      fail(text, `the quote of ${name} is not closed, or text follows it`);
    const value = quoted?.replaceAll('""', '"') ?? plain?.trim();
    const row = faultGrammar.find(({ key }) => key === name);
    if (row === undefined) {
      const known = faultGrammar.map(({ key }) => key).join(", ");
      return fail(text, name === "" ? "a word is missing at a comma" : `"${name}" is not one of ${known}`);
    }
    if (words.has(row.key)) fail(text, `${name} is given twice`);
    if (row.value === "" && value !== undefined) fail(text, `${name} takes no value`);
    if (row.value !== "" && (value === "" || (value === undefined && !row.value.startsWith("["))))
      fail(text, `${name} needs a value: ${name}=${row.value.replace(/[[\]]/g, "")}`);
    words.set(row.key, value);
    if (end !== ",") return words;
  }
}

function appliedFirstOf(words: FaultWords, count: number | undefined): number {
  return words.has("after-applying") ? (count ?? Infinity) : 0;
}

function numberOf(
  text: string,
  words: FaultWords,
  key: FaultKey,
  min: number,
  max: number,
  isWhole: boolean,
): number | undefined {
  const value = words.get(key);
  if (value === undefined) return undefined;
  const shape = isWhole ? /^\d{1,10}$/ : /^\d*\.?\d+$/;
  if (shape.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  const name = isWhole ? "a whole number" : "a number";
  return fail(text, `${key} needs ${name} from ${min} to ${max}, not "${value}"`);
}

function choiceOf<Choice extends string>(
  text: string,
  words: FaultWords,
  key: FaultKey,
  choices: readonly Choice[],
): Choice | undefined {
  const value = words.get(key);
  const chosen = choices.find((choice) => choice === value);
  if (value === undefined || chosen !== undefined) return chosen;
  return fail(text, `${key} is one of ${choices.join(", ")}, not "${value}"`);
}

/** What a rule may test about a request. */
export interface FaultRequest {
  readonly kind: "create" | "update" | undefined;
  /** The body as sent, decompressed. */
  readonly text: string;
  readonly records: readonly SandboxRecord[];
}

/** A rule with its counters. */
interface RuleState {
  readonly rule: FaultRule;
  /** Requests that its kind and match apply to. */
  seen: number;
  struck: number;
  /** How many requests the rate still allows, and when that was calculated. */
  allowance: { readonly requests: number; readonly atMs: number } | undefined;
}

/** The faults that hit one request. */
interface Misfortune {
  /** The waits of all rules that strike, added up. */
  readonly latencyMs: number;
  /** True if a rule has the service honour Idempotency-Key. */
  readonly honoursKeys: boolean;
  /** The first rule that does more than wait and honour keys. */
  readonly rule: FaultRule | undefined;
}

/** The rules in force and their counters. */
export class FaultSet {
  readonly #nowMs: () => number;
  #states: RuleState[] = [];

  constructor(rules: readonly string[], nowMs: () => number) {
    this.#nowMs = nowMs;
    this.set(rules);
  }

  /** Replaces all rules; counters start again. Throws a usage error for one that cannot be read. */
  set(rules: readonly string[]): void {
    this.#states = rules.map((text) => ({
      rule: parseFault(text),
      seen: 0,
      struck: 0,
      allowance: undefined,
    }));
  }

  /**
   * Counts the request for every rule that applies to it; waits add up, and the first rule that does more than wait
   * ends the search.
   */
  strike(request: FaultRequest): Misfortune {
    let latencyMs = 0;
    let honoursKeys = false;
    let rule: FaultRule | undefined;
    for (const state of this.#states) {
      if (!isDue(state, request)) continue;
      const isWaitOnly = state.rule.msg === undefined && !hasEffect(state.rule);
      if (!isWaitOnly && rule !== undefined) continue;
      if (!causeHolds(state, request, this.#nowMs())) continue;
      state.struck += 1;
      latencyMs += state.rule.latencyMs;
      honoursKeys ||= state.rule.honoursKeys;
      if (!isWaitOnly) rule = state.rule;
    }
    return { latencyMs, honoursKeys, rule };
  }
}

function isDue(state: RuleState, request: FaultRequest): boolean {
  const { kind, match, skip, times } = state.rule;
  if (kind !== undefined && kind !== request.kind) return false;
  if (match !== undefined && !request.text.includes(match)) return false;
  state.seen += 1;
  return state.seen > skip && state.struck < times;
}

/** True if the situation that the rule waits for has come; always true for a rule without one. */
function causeHolds(state: RuleState, { records }: FaultRequest, nowMs: number): boolean {
  const { perSecond, refuse } = state.rule;
  if (refuse !== undefined) return records.some((record) => record[refuse.field] === refuse.value);
  if (perSecond === undefined) return true;
  // A token bucket that holds one second's requests and refills evenly.
  const most = Math.max(1, perSecond);
  const { requests, atMs } = state.allowance ?? { requests: most, atMs: nowMs };
  const now = Math.min(most, requests + (Math.max(0, nowMs - atMs) / 1000) * perSecond);
  const isOver = now < 1;
  state.allowance = { requests: isOver ? now : now - 1, atMs: nowMs };
  return isOver;
}

/** True if the rule replaces the normal answer. */
export function hasEffect({ status, silence, perSecond, refuse }: FaultRule): boolean {
  return [status, silence, perSecond, refuse].some((one) => one !== undefined);
}

/** The reply that a rule gives in place of the normal one. */
export function faultReply(rule: FaultRule, { records }: FaultRequest): Reply {
  if (rule.silence !== undefined) return { kind: rule.silence };
  const { perSecond, refuse, retryAfter } = rule;
  if (refuse !== undefined) {
    const number = records.findIndex((record) => record[refuse.field] === refuse.value) + 1;
    const [field, value] = [JSON.stringify(refuse.field), JSON.stringify(refuse.value)];
    return answerOf(
      rule,
      400,
      `Record ${number}, field ${field}: the value ${value} is refused.`,
      retryAfter,
    );
  }
  if (perSecond === undefined) return answerOf(rule, 200, undefined, retryAfter);
  return answerOf(rule, 429, "Too many requests.", retryAfter ?? Math.max(1, Math.ceil(1 / perSecond)));
}

function answerOf(
  rule: FaultRule,
  usualStatus: number,
  usualText: string | undefined,
  retryAfter: number | undefined,
): Answer {
  const status = rule.status ?? usualStatus;
  const msg = rule.msg ?? usualText ?? usualMsg(status);
  return answerMsg(status, msg, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
}

function usualMsg(status: number): string {
  const row = Object.values(specified).find((candidate) => candidate.status === status);
  return status === 400 || row === undefined ? `${STATUS_CODES[status] ?? `Status ${status}`}.` : row.msg;
}
