import { createHash } from "node:crypto";
import type { FaultSet } from "./fault-set.ts";
import type { ClientTokens } from "./oauth.ts";
import { type Answer, answerMsg } from "./reply.ts";
import type { Store } from "./store.ts";

/** Everything that the endpoints share. */
export interface SandboxContext {
  readonly store: Store;
  readonly faults: FaultSet;
  readonly log: RequestLog;
  readonly token: string;
  /** Tokens for clients; undefined if the sandbox has no OAuth. */
  readonly clientTokens: ClientTokens | undefined;
  /** Undefined if requests are not counted. */
  readonly limit: ToldLimit | undefined;
  /** Undefined if no version is required. */
  readonly databaseVersions: readonly string[] | undefined;
  /** The tables that exist; undefined if any name makes a table. */
  readonly tables: readonly string[] | undefined;
  /** The requests that were answered under a key that a fault had honoured. */
  readonly keys: RequestKeys;
  readonly bodyLimitBytes: number;
  /** False: the records before a bad one are applied even though the answer is 400. */
  readonly isAtomic: boolean;
  /** True: reading needs no token, and only a `Host` header of this machine is answered. */
  readonly isLoopbackOnly: boolean;
  /** Names that are answered in addition to those of this machine. */
  readonly otherNames: readonly string[];
  readonly nowMs: () => number;
  /** Ends all waits when the sandbox closes. */
  readonly stopped: AbortSignal;
}

/**
 * True for names and addresses that never leave this machine: `localhost`, 127.0.0.0/8, `::1`, in brackets or mapped
 * into IPv6 too.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare);
}

/**
 * True if a `Host` header names this machine. Otherwise a web page could read the sandbox through a name of its own
 * (DNS rebinding).
 */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && isLoopback(header.replace(/:\d+$/, ""));
}

/** How many requests the sandbox accepts in how long; it announces both. */
export interface LimitOptions {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests in windows, and announces what is left in the headers of the httpapi draft and in the older ones. */
export class ToldLimit {
  readonly #options: LimitOptions;
  readonly #nowMs: () => number;
  #startMs = -Infinity;
  #count = 0;

  constructor(options: LimitOptions, nowMs: () => number) {
    this.#options = options;
    this.#nowMs = nowMs;
  }

  /** Counts a request; returns the headers of its answer, and the answer itself if it is one too many. */
  take(): { readonly headers: Readonly<Record<string, string>>; readonly refusal: Answer | undefined } {
    const { requests, seconds } = this.#options;
    const now = this.#nowMs();
    if (now >= this.#startMs + seconds * 1000) {
      this.#startMs = now;
      this.#count = 0;
    }
    this.#count += 1;
    const left = Math.max(0, requests - this.#count);
    const reset = Math.ceil((this.#startMs + seconds * 1000 - now) / 1000);
    const headers = {
      "ratelimit-policy": `"sandbox";q=${requests};w=${seconds}`,
      ratelimit: `"sandbox";r=${left};t=${reset}`,
      "x-ratelimit-limit": `${requests}`,
      "x-ratelimit-remaining": `${left}`,
      "x-ratelimit-reset": `${Math.ceil((now + reset * 1000) / 1000)}`,
    };
    if (this.#count <= requests) return { headers, refusal: undefined };
    return {
      headers,
      refusal: answerMsg(429, "Too many requests.", { "retry-after": `${reset}`, ...headers }),
    };
  }
}

interface KnownRequest {
  readonly sum: string;
  readonly answer: Answer;
}

/** The most requests whose keys are remembered; the oldest are forgotten first. */
const MOST_KEYS = 100_000;

/** Remembers what was answered under an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). */
export class RequestKeys {
  readonly #known = new Map<string, KnownRequest>();

  /** The answer to a request that was applied before: the one given then, or 422 if the body differs. */
  answerTo(key: string, body: string): Answer | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    if (known.sum === sumOf(body)) return known.answer;
    return answerMsg(422, "This Idempotency-Key was used with another body.");
  }

  remember(key: string, body: string, answer: Answer): void {
    if (this.#known.size >= MOST_KEYS) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(key, { sum: sumOf(body), answer });
  }
}

function sumOf(body: string): string {
  return createHash("sha256").update(body).digest("hex");
}

/** One request that would change something, as shown on the page and by `GET /sandbox/requests`. */
export interface LoggedRequest {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Empty if the path names none. */
  readonly table: string;
  /** Records in the body. */
  readonly records: number;
  readonly applied: number;
  readonly status: number | "dropped" | "no answer" | "client gone";
  /** The `msg`, the fault that struck, or what went wrong internally. */
  readonly note: string;
}

/** Counts since the start. */
export interface RequestCounts {
  readonly requests: number;
  /** Requests per HTTP status, plus `dropped`, `no answer` and `client gone`. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly recordsApplied: number;
}

const keptRequests = 50;

/** The last requests, and counts of all of them: bounded, however long the sandbox runs. */
export class RequestLog {
  readonly #last: LoggedRequest[] = [];
  readonly #statuses = new Map<string, number>();
  #requests = 0;
  #recordsApplied = 0;

  add(entry: LoggedRequest): void {
    this.#requests += 1;
    this.#recordsApplied += entry.applied;
    const status = String(entry.status);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#last.push(entry);
    if (this.#last.length > keptRequests) this.#last.shift();
  }

  counts(): RequestCounts {
    return {
      requests: this.#requests,
      statuses: Object.fromEntries(this.#statuses),
      recordsApplied: this.#recordsApplied,
    };
  }

  /** Oldest first, at most 50. */
  last(): readonly LoggedRequest[] {
    return this.#last;
  }
}
