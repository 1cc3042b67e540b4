/** A limit on requests, as a service announces it in an answer. */
export interface ToldQuota {
  /** Requests that are left; `undefined` if only the rule itself is given. */
  readonly left: number | undefined;
  /** Milliseconds until more are allowed. */
  readonly resetMs: number | undefined;
  /** The rule: this many requests per window. */
  readonly quota: number | undefined;
  readonly windowMs: number | undefined;
}

/** The first value of a header, by its name in lower case. */
type Header = (name: string) => string | undefined;

/**
 * The limits that the headers of an answer announce: `RateLimit` and `RateLimit-Policy` in the form of the httpapi
 * draft and of its earlier versions, `RateLimit-Limit`, `-Remaining`, `-Reset`, and the same with `X-` or
 * `X-Rate-Limit-`. What cannot be read is left out. `nowMs` is the time of day, for resets that are given as such.
 */
export function parseToldQuotas(header: Header, nowMs: number): readonly ToldQuota[] {
  const rules = header("ratelimit-policy");
  const now = header("ratelimit");
  const policies = readItems(rules);
  if (now !== undefined || rules !== undefined) {
    const named = ofDraft(readItems(now), policies);
    if (named.length > 0) return named;
  }
  for (const names of THREE_HEADERS) {
    const told = ofThree(header, names, policies, nowMs);
    if (told !== undefined) return [told];
  }
  return [];
}

const THREE_HEADERS = ["ratelimit-", "x-ratelimit-", "x-rate-limit-"].map((prefix) => ({
  limit: `${prefix}limit`,
  remaining: `${prefix}remaining`,
  reset: `${prefix}reset`,
}));

/** One member of a list of RFC 9651, with its parameters: `"name";r=5;t=10`, or `limit=100`. */
interface Item {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function readItems(text: string | undefined): readonly Item[] {
  if (text === undefined) return [];
  return splitOutsideQuotes(text, ",").map((member) => {
    const [name = "", ...parameters] = splitOutsideQuotes(member, ";");
    const pairs = parameters.map((pair) => {
      const [key = "", value = ""] = pair.split("=");
      return [key.trim(), value.trim()] as const;
    });
    return { name, parameters: new Map(pairs) };
  });
}

function splitOutsideQuotes(text: string, sign: "," | ";"): string[] {
  const parts = text.match(sign === "," ? /(?:"[^"]*"|[^",])+/g : /(?:"[^"]*"|[^";])+/g) ?? [];
  return parts.map((part) => part.trim());
}

function ofDraft(items: readonly Item[], policies: readonly Item[]): readonly ToldQuota[] {
  const now = items.filter(({ parameters }) => parameters.has("r"));
  if (now.length > 0) {
    return now.flatMap(({ name, parameters }) => {
      const policy = policies.find((one) => one.name === name)?.parameters;
      if (!isOfRequests(policy)) return [];
      const left = count(parameters.get("r"));
      const window = count(policy?.get("w"));
      const reset = count(parameters.get("t")) ?? window;
      return left === undefined ? [] : [quotaOf(left, reset, count(policy?.get("q")), window)];
    });
  }
  // Draft 07: limit=100, remaining=50, reset=30
  const pairs = new Map(
    items.map(({ name }) => name.split("=").map((part) => part.trim()) as [string, string]),
  );
  const left = count(pairs.get("remaining"));
  if (left === undefined) return policies.flatMap(ofPolicy);
  const rule = policies.length === 1 ? ofPolicy(policies[0]!)[0] : undefined;
  const quota = count(pairs.get("limit")) ?? rule?.quota;
  return [quotaOf(left, count(pairs.get("reset")), quota, rule?.windowMs && rule.windowMs / 1000)];
}

/** Reads a rule alone: `"name";q=100;w=60`, or `100;w=60` in earlier drafts. */
function ofPolicy({ name, parameters }: Item): readonly ToldQuota[] {
  const quota = count(parameters.get("q")) ?? count(name);
  const window = count(parameters.get("w"));
  if (!isOfRequests(parameters) || !quota || !window) return [];
  return [quotaOf(undefined, undefined, quota, window)];
}

function isOfRequests(policy: ReadonlyMap<string, string> | undefined): boolean {
  const unit = policy?.get("qu");
  return unit === undefined || unit === '"requests"';
}

function ofThree(
  header: Header,
  names: (typeof THREE_HEADERS)[number],
  policies: readonly Item[],
  nowMs: number,
): ToldQuota | undefined {
  const left = count(header(names.remaining));
  if (left === undefined) return undefined;
  const reset = secondsUntil(header(names.reset), nowMs);
  if (reset === undefined) return undefined;
  // Some services put the rule after the limit: 100, 100;w=60
  const quota = count(header(names.limit)?.split(",")[0]);
  const rule = policies.length === 1 ? ofPolicy(policies[0]!)[0] : undefined;
  return quotaOf(left, reset, quota, rule?.windowMs && rule.windowMs / 1000);
}

/** Seconds from now, or the time of day in seconds or milliseconds since 1970. */
function secondsUntil(text: string | undefined, nowMs: number): number | undefined {
  const number = text === undefined || !/^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? undefined : Number(text);
  if (number === undefined) return undefined;
  if (number > 1e11) return Math.max(0, (number - nowMs) / 1000);
  return number > 1e9 ? Math.max(0, number - nowMs / 1000) : number;
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined;
}

function quotaOf(
  left: number | undefined,
  resetSeconds: number | undefined,
  quota: number | undefined,
  windowSeconds: number | undefined,
): ToldQuota {
  const ms = (seconds: number | undefined): number | undefined => seconds && seconds * 1000;
  return { left, resetMs: ms(resetSeconds), quota, windowMs: ms(windowSeconds) };
}
