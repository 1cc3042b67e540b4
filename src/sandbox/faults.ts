import { STATUS_CODES } from "node:http";
import { RecPushError } from "../model/failure.ts";
import { RequestWindow } from "./requests.ts";
import { type Answer, answerMsg, type Reply, specified } from "./reply.ts";
import type { SandboxRecord } from "./store.ts";

/** Reads the text after `=`; throws why it cannot. */
type ReadWord<Value> = (text: string | undefined) => Value;

const DAY_MS = 86_400_000;

const whole =
  (min: number, max = 1_000_000_000): ReadWord<number> =>
  (text = "") => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new SyntaxError(`a whole number from ${min} to ${max}, not "${text}"`);
  };

const oneOf =
  <Choice extends string>(...choices: readonly Choice[]): ReadWord<Choice> =>
  (text) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen !== undefined) return chosen;
    throw new SyntaxError(`one of ${choices.join(", ")}, not "${text}"`);
  };

const asItIs: ReadWord<string> = (text = "") => text;
const given: ReadWord<true> = () => true;

function readRate(text = ""): number {
  const rate = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
  if (rate >= 0.001 && rate <= 1_000_000) return rate;
  throw new SyntaxError(`a number from 0.001 to 1000000, not "${text}"`);
}

function readRefuse(text = "") {
  const [, field, value] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) throw new SyntaxError("FIELD:VALUE");
  return { field, value };
}

/** A word of a rule: the text after its `=` (empty if there is none, in brackets if it is optional), its meaning, its reader. */
const EFFECTS = {
  status: ["CODE", "answer this status; nothing is applied", whole(200, 599)],
  msg: ["TEXT", "the msg of the answer", asItIs],
  "retry-after": ["SECONDS", "Retry-After header, in seconds", whole(0)],
  drop: [
    "before|after",
    "cut the connection instead of answering, before or after applying",
    oneOf("before", "after"),
  ],
  hang: ["", "never answer; nothing is applied", given],
  "after-applying": [
    "[N]",
    "apply all records first, or the first N (status, hang)",
    (text?: string) => (text === undefined ? Infinity : whole(1)(text)),
  ],
  latency: ["MS", "wait this long before applying and answering", whole(0, DAY_MS)],
  rate: ["N", "above N requests a second: 429 with Retry-After", readRate],
  refuse: ["FIELD:VALUE", "a batch with such a record: 400 naming it; nothing is applied", readRefuse],
  "honour-keys": ["", "apply a request with an Idempotency-Key once, however often it comes", given],
} as const;

const SCOPES = {
  kind: ["create|update", "only batches with a create, or only those without", oneOf("create", "update")],
  match: ["TEXT", "only bodies with this text", asItIs],
  skip: ["N", "not the first N", whole(0)],
  times: ["N", "strike at most N times", whole(1)],
} as const;

const GRAMMAR = { ...EFFECTS, ...SCOPES };
/** A word that a rule may hold. */
type FaultKey = keyof typeof GRAMMAR;

/** Every word of a fault rule, in the order of the help. */
export const faultWords = Object.keys(GRAMMAR) as FaultKey[];

/** The grammar as text for a terminal, one line a word. */
function faultGrammarText(): string {
  const spelt = (key: FaultKey): string =>
    key + GRAMMAR[key][0].replace(/^(?=[^[])/, "=").replace(/^\[(.*)\]/, "[=$1]");
  const width = Math.max(...faultWords.map((key) => spelt(key).length));
  const lines = (rows: object): string[] =>
    faultWords
      .filter((key) => key in rows)
      .map((key) => `    ${spelt(key).padEnd(width)}  ${GRAMMAR[key][1]}`);
  return ["  what happens:", ...lines(EFFECTS), "  to which requests:", ...lines(SCOPES)].join("\n");
}

/** One rule of misbehaviour. */
type FaultRule = { readonly [Key in FaultKey]?: ReturnType<(typeof GRAMMAR)[Key][2]> };

/** Reads a rule such as `status=503,times=2`; throws a usage error that names the possible words. */
export function parseFault(text: string): FaultRule {
  const rule: Partial<Record<FaultKey, unknown>> = {};
  // A value in double quotes may hold commas, and `""` for a quote.
  const word = /\s*([^=,\s]*)\s*(?:=\s*(?:"((?:[^"]|"")*)"\s*|([^,]*)))?(,|$)/y;
  for (let end: string | undefined = ","; end === ",";) {
    const at = word.lastIndex;
    const found = word.exec(text);
    if (found === null) fail(text, `it cannot be read from "${text.slice(at)}" on`);
    const [, name = "", quoted, plain] = found;
    end = found[4];
    if (quoted === undefined && plain?.startsWith('"') === true)
      fail(text, `the quote of ${name} is not closed, or text follows it`);
    const key = faultWords.find((known) => known === name);
    if (key === undefined)
      fail(
        text,
        name === "" ? "a word is missing at a comma" : `"${name}" is not one of ${faultWords.join(", ")}`,
      );
    if (key in rule) fail(text, `${name} is given twice`);
    rule[key] = readValue(text, key, quoted?.replaceAll('""', '"') ?? plain?.trim());
  }
  if (faultWords.every((key) => !(key in EFFECTS && key in rule)))
    fail(text, "it does not say what happens, for example status=503, drop=after or latency=200");
  const [one, other] = (["drop", "hang", "status"] as const).filter((key) => key in rule);
  if (other !== undefined) fail(text, `${one} and ${other} need a rule each`);
  return rule as FaultRule;
}

function readValue(text: string, key: FaultKey, value: string | undefined): unknown {
  const [form, , read] = GRAMMAR[key];
  if (form === "" && value !== undefined) fail(text, `${key} takes no value`);
  if (form !== "" && (value === "" || (value === undefined && !form.startsWith("["))))
    fail(text, `${key} needs a value: ${key}=${form.replace(/[[\]]/g, "")}`);
  try {
    return read(value);
  } catch (error) {
    return fail(text, `${key} needs ${(error as SyntaxError).message}`);
  }
}

function fail(text: string, why: string): never {
  throw new RecPushError("bad-option-value", `The fault "${text}" cannot be set: ${why}.`, {
    hint: "rec-push sandbox --help lists every word of a fault",
  });
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
  /** The requests that its rate still allows. */
  readonly window: RequestWindow | undefined;
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
    this.#states = rules.map((text) => {
      const rule = parseFault(text);
      const { rate } = rule;
      // Half a request a second is one in two seconds.
      const limit = rate !== undefined && { requests: Math.max(1, rate), seconds: Math.max(1, 1 / rate) };
      return { rule, seen: 0, struck: 0, window: limit ? new RequestWindow(limit, this.#nowMs) : undefined };
    });
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
      const { refuse } = state.rule;
      if (refuse !== undefined && findRefused(request, refuse) === -1) continue;
      if (state.window !== undefined && state.window.take().refusal === undefined) continue;
      state.struck += 1;
      latencyMs += state.rule.latency ?? 0;
      honoursKeys ||= state.rule["honour-keys"] === true;
      if (!isWaitOnly) rule = state.rule;
    }
    return { latencyMs, honoursKeys, rule };
  }
}

function isDue(state: RuleState, request: FaultRequest): boolean {
  const { kind, match, skip = 0, times = Infinity } = state.rule;
  if (kind !== undefined && kind !== request.kind) return false;
  if (match !== undefined && !request.text.includes(match)) return false;
  state.seen += 1;
  return state.seen > skip && state.struck < times;
}

/** The place of the first record that a rule refuses; -1 without one. */
function findRefused({ records }: FaultRequest, { field, value }: NonNullable<FaultRule["refuse"]>): number {
  return records.findIndex((record) => record[field] === value);
}

/** True if the rule replaces the normal answer. */
export function hasEffect({ status, drop, hang, rate, refuse }: FaultRule): boolean {
  return [status, drop, hang, rate, refuse].some((one) => one !== undefined);
}

/** How many records of the batch are applied before the reply of a rule. */
export function appliedFirst(rule: FaultRule): number {
  return rule.drop === "after" ? Infinity : (rule["after-applying"] ?? 0);
}

/** The reply that a rule gives in place of the normal one. */
export function faultReply(rule: FaultRule, request: FaultRequest): Reply {
  const { drop, hang, rate, refuse, "retry-after": retryAfter } = rule;
  if (drop !== undefined || hang !== undefined) return { kind: hang === undefined ? "drop" : "hang" };
  if (refuse !== undefined) {
    const [field, value] = [JSON.stringify(refuse.field), JSON.stringify(refuse.value)];
    const where = `Record ${findRefused(request, refuse) + 1}, field ${field}`;
    return answerOf(rule, 400, `${where}: the value ${value} is refused.`, retryAfter);
  }
  if (rate === undefined) return answerOf(rule, 200, undefined, retryAfter);
  return answerOf(rule, 429, "Too many requests.", retryAfter ?? Math.max(1, Math.ceil(1 / rate)));
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

/** The text of `rec-push sandbox --help` beside its options: the interface, the sandbox's decisions where the specification is silent, and the grammar of faults. */
export const sandboxHelp = `What it answers:
  POST   /api/items/TABLE/       records: [{...}] or {"data":[{...}]}, gzip allowed; any base path before /api
  POST   /api/oauth2/access_token/   with --oauth: a token of 60 s for client_id and client_secret
  POST   /api/oauth2/items/TABLE/    the same as /api/items/TABLE/, with such a token
  GET    /api/items/TABLE/       all records of a table, in order of creation
  GET    /                       a page for people
POST needs the token, as the header access_token, as Authorization: Bearer, or both. GET needs none.

Where the specification is silent:
  A record with an unknown cle is created; one without gets a new cle (F000001).
  A record changes only the fields it has. Records are applied in the order of the array.
  Every value must be a string. A batch with a bad record is refused as a whole.
  Any table name makes a table.

Faults: words joined by commas, for example --fault status=503,times=2. The first rule that strikes
decides, waits add up. Write a value with commas in double quotes. Only requests with a valid token count.
${faultGrammarText()}
`;
