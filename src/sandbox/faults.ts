import { FaultWords } from "./fault-words.ts";

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
      times: words.whole("times", 1) ?? Infinity,
    },
    cause,
    effect,
    appliedFirst: appliedFirstOf(words, effect),
    msg: words.get("msg"),
    latencyMs: words.whole("latency", 0, dayMs) ?? 0,
    slowBodyMs: words.has("slow-body") ? (words.whole("slow-body", 1, dayMs) ?? 5000) : 0,
  };
  if (effect === undefined && !words.has("msg") && !words.has("latency") && !words.has("slow-body")) {
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
