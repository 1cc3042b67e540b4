import { type Answer, answerMsg } from "./reply.ts";

/** How many requests the sandbox accepts in how long; it announces both. */
export interface LimitOptions {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests in windows, and announces what is left in the headers of the httpapi draft. */
export class RequestWindow {
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
    };
    const isOver = this.#count > requests;
    return {
      headers,
      refusal: isOver ? answerMsg(429, "Too many requests.", { "retry-after": `${reset}` }) : undefined,
    };
  }
}

/** Remembers what was answered under an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). */
export class RequestKeys {
  readonly #known = new Map<string, { readonly body: string; readonly answer: Answer }>();

  /** The answer to a request that was applied before: the one given then, or 422 if the body differs. */
  answerTo(key: string, body: string): Answer | undefined {
    const known = this.#known.get(key);
    if (known === undefined || known.body === body) return known?.answer;
    return answerMsg(422, "This Idempotency-Key was used with another body.");
  }

  remember(key: string, body: string, answer: Answer): void {
    this.#known.set(key, { body, answer });
  }
}
