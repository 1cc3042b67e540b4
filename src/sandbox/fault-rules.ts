import { RecPushError } from "../model/failure.ts";

interface GrammarRow {
  readonly key: string;
  /** The text after `=`; empty if there is none, in brackets if it is optional. */
  readonly value: string;
  readonly meaning: string;
  readonly part: "what happens" | "to which requests";
}

/** Every word of a fault rule, in the order of the help. */
export const faultGrammar = [
  { key: "status", value: "CODE", meaning: "answer this status; nothing is applied", part: "what happens" },
  { key: "msg", value: "TEXT", meaning: "the msg of the answer", part: "what happens" },
  {
    key: "body",
    value: "html",
    meaning: "answer an HTML page, as proxies do; nothing is applied",
    part: "what happens",
  },
  { key: "empty", value: "", meaning: "answer without a body; nothing is applied", part: "what happens" },
  {
    key: "redirect",
    value: "URL",
    meaning: "answer 302 (or status=) to URL; nothing is applied",
    part: "what happens",
  },
  { key: "retry-after", value: "SECONDS", meaning: "Retry-After header, in seconds", part: "what happens" },
  {
    key: "retry-after-date",
    value: "SECONDS",
    meaning: "Retry-After header, as the date this far from now",
    part: "what happens",
  },
  {
    key: "drop",
    value: "before|after|midway",
    meaning: "cut the connection: before or after applying, or midway through the answer",
    part: "what happens",
  },
  { key: "hang", value: "", meaning: "never answer; nothing is applied", part: "what happens" },
  {
    key: "after-applying",
    value: "[N]",
    meaning: "apply all records first, or the first N (status, body, empty, redirect, hang)",
    part: "what happens",
  },
  {
    key: "latency",
    value: "MS",
    meaning: "wait this long before applying and answering",
    part: "what happens",
  },
  {
    key: "slow-body",
    value: "[MS]",
    meaning: "apply, and send the answer bit by bit for this long (5000)",
    part: "what happens",
  },
  {
    key: "rate",
    value: "N",
    meaning: "above N requests a second: 429 with Retry-After",
    part: "what happens",
  },
  { key: "body-limit", value: "BYTES", meaning: "a larger body: 413", part: "what happens" },
  {
    key: "token-life",
    value: "SECONDS",
    meaning: "401 this long after the token's first use, until the rule is set again",
    part: "what happens",
  },
  {
    key: "refuse",
    value: "FIELD:VALUE",
    meaning: "a batch with such a record: 400 naming it; nothing is applied",
    part: "what happens",
  },
  {
    key: "honour-keys",
    value: "",
    meaning: "apply a request with an Idempotency-Key once, however often it comes",
    part: "what happens",
  },
  {
    key: "kind",
    value: "create|update",
    meaning: "only batches with a create, or only those without",
    part: "to which requests",
  },
  { key: "table", value: "NAME", meaning: "only this table", part: "to which requests" },
  { key: "match", value: "TEXT", meaning: "only bodies with this text", part: "to which requests" },
  { key: "skip", value: "N", meaning: "not the first N", part: "to which requests" },
  { key: "first", value: "N", meaning: "only the first N (after those skipped)", part: "to which requests" },
  { key: "every", value: "N", meaning: "only each Nth (after those skipped)", part: "to which requests" },
  { key: "chance", value: "0..1", meaning: "only with this probability", part: "to which requests" },
  {
    key: "seed",
    value: "N",
    meaning: "which requests the chance chooses (1): the same for the same seed",
    part: "to which requests",
  },
  { key: "times", value: "N", meaning: "strike at most N times", part: "to which requests" },
] as const satisfies readonly GrammarRow[];

/** A word that a fault rule may hold. */
type FaultKey = (typeof faultGrammar)[number]["key"];

/** The grammar as text for a terminal, one line a word. */
export function faultGrammarText(): string {
  const words = faultGrammar.map((row) => ({ row, word: wordOf(row) }));
  const width = Math.max(...words.map(({ word }) => word.length));
  const lines: string[] = [];
  let part = "";
  for (const { row, word } of words) {
    if (row.part !== part) lines.push(`  ${row.part}:`);
    part = row.part;
    lines.push(`    ${word.padEnd(width)}  ${row.meaning}`);
  }
  return lines.join("\n");
}

function wordOf(row: GrammarRow): string {
  if (row.value === "") return row.key;
  return row.value.startsWith("[") ? `${row.key}[=${row.value.slice(1, -1)}]` : `${row.key}=${row.value}`;
}

/** The words of one rule with their values, and how these values are read; every complaint is a usage error. */
class FaultWords {
  readonly text: string;
  readonly #values = new Map<FaultKey, string | undefined>();

  /** Splits `status=503,msg="Busy, sorry"` at its commas. A value in double quotes may hold commas, and `""` for a quote. */
  constructor(text: string) {
    this.text = text;
    const word = /\s*([^=,\s]*)\s*(?:=\s*(?:"((?:[^"]|"")*)"\s*|([^,]*)))?(,|$)/y;
    for (;;) {
      const at = word.lastIndex;
      const found = word.exec(text);
      if (found === null) this.fail(`it cannot be read from "${text.slice(at)}" on`);
      const [, name = "", quoted, plain, end] = found;
      if (quoted === undefined && plain?.startsWith('"') === true) {
        this.fail(`the quote of ${name} is not closed, or text follows it`);
      }
      this.#add(name, quoted?.replaceAll('""', '"') ?? plain?.trim());
      if (end !== ",") return;
    }
  }

  /** Throws the usage error for a rule that cannot be followed. */
  fail(why: string): never {
    throw new RecPushError("usage", "bad-fault", `The fault "${this.text}" cannot be set: ${why}.`, {
      hint: "rec-push sandbox --help lists every word of a fault",
    });
  }

  has(key: FaultKey): boolean {
    return this.#values.has(key);
  }

  get(key: FaultKey): string | undefined {
    return this.#values.get(key);
  }

  whole(key: FaultKey, min: number, max = 1_000_000_000): number | undefined {
    return this.#number(key, /^\d{1,10}$/, "a whole number", min, max);
  }

  decimal(key: FaultKey, min: number, max: number): number | undefined {
    return this.#number(key, /^\d*\.?\d+$/, "a number", min, max);
  }

  choice<Choice extends string>(key: FaultKey, choices: readonly Choice[]): Choice | undefined {
    const value = this.#values.get(key);
    const chosen = choices.find((choice) => choice === value);
    if (value === undefined || chosen !== undefined) return chosen;
    return this.fail(`${key} is one of ${choices.join(", ")}, not "${value}"`);
  }

  #number(key: FaultKey, shape: RegExp, name: string, min: number, max: number): number | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    if (shape.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    return this.fail(`${key} needs ${name} from ${min} to ${max}, not "${value}"`);
  }

  #add(name: string, value: string | undefined): void {
    const row = faultGrammar.find(({ key }) => key === name);
    if (row === undefined) {
      const known = faultGrammar.map(({ key }) => key).join(", ");
      this.fail(name === "" ? "a word is missing at a comma" : `"${name}" is not one of ${known}`);
    }
    if (this.#values.has(row.key)) this.fail(`${name} is given twice`);
    if (row.value === "" && value !== undefined) this.fail(`${name} takes no value`);
    if (row.value !== "" && (value === "" || (value === undefined && !row.value.startsWith("[")))) {
      this.fail(`${name} needs a value: ${name}=${row.value.replace(/[[\]]/g, "")}`);
    }
    this.#values.set(row.key, value);
  }
}

/** A situation of the service with an answer of its own; a rule has at most one. */
export type FaultCause =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "body-limit"; readonly bytes: number }
  | { readonly kind: "token-life"; readonly ms: number }
  | { readonly kind: "refuse"; readonly field: string; readonly value: string };

/** The reply that replaces the normal answer. */
export type FaultEffect =
  | { readonly kind: "drop" }
  | { readonly kind: "drop-midway" }
  | { readonly kind: "hang" }
  | {
      readonly kind: "answer";
      /** Undefined if the cause or the body decides it. */
      readonly status: number | undefined;
      readonly body: "json" | "html" | "empty";
      readonly location: string | undefined;
      readonly retryAfter: RetryAfter | undefined;
    };

/** The header Retry-After, in one of its two forms (RFC 9110 section 10.2.3). */
export interface RetryAfter {
  readonly seconds: number;
  readonly asDate: boolean;
}

/** Which requests a rule applies to, in the order in which the conditions are checked. */
interface FaultScope {
  readonly kind: "create" | "update" | undefined;
  readonly table: string | undefined;
  readonly match: string | undefined;
  readonly skip: number;
  readonly first: number;
  readonly every: number;
  readonly chance: number;
  /** For `chance`: the same seed strikes the same requests. */
  readonly seed: number;
  readonly times: number;
}

/** One rule of misbehaviour, parsed from text. */
export interface FaultRule {
  /** The text as given. */
  readonly text: string;
  readonly scope: FaultScope;
  readonly cause: FaultCause | undefined;
  /** Undefined for a rule that only delays or rewords the normal answer. */
  readonly effect: FaultEffect | undefined;
  /** How many records of the batch are applied before the effect. */
  readonly appliedFirst: number;
  readonly msg: string | undefined;
  readonly latencyMs: number;
  /** True if a request with an Idempotency-Key is applied once, however often it comes. */
  readonly honoursKeys: boolean;
  readonly slowBodyMs: number;
}

const dayMs = 86_400_000;

/** Reads a rule such as `status=503,times=2`; throws a usage error that names the possible words. */
export function parseFault(text: string): FaultRule {
  const words = new FaultWords(text);
  const cause = causeOf(words);
  const effect = effectOf(words, cause);
  const rule: FaultRule = {
    text,
    scope: {
      kind: words.choice("kind", ["create", "update"]),
      table: words.get("table"),
      match: words.get("match"),
      skip: words.whole("skip", 0) ?? 0,
      first: words.whole("first", 1) ?? Infinity,
      every: words.whole("every", 1) ?? 1,
      chance: words.decimal("chance", 0, 1) ?? 1,
      seed: words.whole("seed", 0) ?? 1,
      times: words.whole("times", 1) ?? Infinity,
    },
    cause,
    effect,
    appliedFirst: appliedFirstOf(words, effect),
    msg: words.get("msg"),
    latencyMs: words.whole("latency", 0, dayMs) ?? 0,
    honoursKeys: words.has("honour-keys"),
    slowBodyMs: words.has("slow-body") ? (words.whole("slow-body", 1, dayMs) ?? 5000) : 0,
  };
  const isSilent = !["msg", "latency", "slow-body", "honour-keys"].some((word) =>
    words.has(word as FaultKey),
  );
  if (effect === undefined && isSilent) {
    words.fail("it does not say what happens, for example status=503, drop=after or latency=200");
  }
  return rule;
}

function causeOf(words: FaultWords): FaultCause | undefined {
  const causes: FaultCause[] = [];
  const perSecond = words.decimal("rate", 0.001, 1_000_000);
  if (perSecond !== undefined) causes.push({ kind: "rate", perSecond });
  const bytes = words.whole("body-limit", 1);
  if (bytes !== undefined) causes.push({ kind: "body-limit", bytes });
  const seconds = words.decimal("token-life", 0, 1_000_000);
  if (seconds !== undefined) causes.push({ kind: "token-life", ms: seconds * 1000 });
  const refuse = words.get("refuse");
  if (refuse !== undefined) {
    const colon = refuse.indexOf(":");
    if (colon < 1) words.fail(`refuse needs FIELD:VALUE, not "${refuse}"`);
    causes.push({ kind: "refuse", field: refuse.slice(0, colon), value: refuse.slice(colon + 1) });
  }
  if (causes.length > 1) words.fail(`${causes.map(({ kind }) => kind).join(" and ")} need a rule each`);
  return causes[0];
}

const onlyWithAnswer = [
  "status",
  "msg",
  "body",
  "empty",
  "redirect",
  "retry-after",
  "retry-after-date",
  "slow-body",
] as const;

function effectOf(words: FaultWords, cause: FaultCause | undefined): FaultEffect | undefined {
  const drop = words.choice("drop", ["before", "after", "midway"]);
  if (drop === undefined && !words.has("hang")) return answerOf(words, cause);
  if (drop !== undefined && words.has("hang")) words.fail("drop and hang need a rule each");
  const idle = onlyWithAnswer.find((key) => words.has(key));
  if (idle !== undefined) words.fail(`${idle} is about an answer, and drop and hang give none`);
  if (drop === undefined) return { kind: "hang" };
  return { kind: drop === "midway" ? "drop-midway" : "drop" };
}

function answerOf(words: FaultWords, cause: FaultCause | undefined): FaultEffect | undefined {
  const status = words.whole("status", 200, 599);
  const html = words.choice("body", ["html"]) !== undefined;
  const empty = words.has("empty");
  const location = locationOf(words, status);
  const retryAfter = retryAfterOf(words);
  if (html && empty) words.fail("body=html and empty exclude each other");
  if (status === undefined && !html && !empty && location === undefined && cause === undefined) {
    if (retryAfter !== undefined) words.fail("retry-after goes with a status or a rate");
    return undefined;
  }
  return { kind: "answer", status, body: html ? "html" : empty ? "empty" : "json", location, retryAfter };
}

function locationOf(words: FaultWords, status: number | undefined): string | undefined {
  const location = words.get("redirect");
  if (location === undefined) return undefined;
  if (status !== undefined && (status < 300 || status > 399))
    words.fail("redirect goes with a status from 300 to 399");
  if (!/^[\x21-\x7e]+$/.test(location)) words.fail("redirect needs a URL in ASCII, without spaces");
  return location;
}

function retryAfterOf(words: FaultWords): RetryAfter | undefined {
  const seconds = words.whole("retry-after", 0);
  const dateSeconds = words.whole("retry-after-date", 0);
  if (seconds !== undefined && dateSeconds !== undefined) {
    words.fail("retry-after and retry-after-date exclude each other");
  }
  if (seconds !== undefined) return { seconds, asDate: false };
  return dateSeconds === undefined ? undefined : { seconds: dateSeconds, asDate: true };
}

function appliedFirstOf(words: FaultWords, effect: FaultEffect | undefined): number {
  const drop = words.get("drop");
  if (drop !== undefined && words.has("after-applying")) {
    words.fail("drop itself says when: drop=before or drop=after");
  }
  if (drop === "after" || drop === "midway") return Infinity;
  if (!words.has("after-applying")) return 0;
  if (effect === undefined) words.fail("after-applying goes with a status, body, empty, redirect or hang");
  return words.whole("after-applying", 1) ?? Infinity;
}
