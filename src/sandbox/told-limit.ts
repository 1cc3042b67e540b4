import { answerMsg, type Answer } from "./reply.ts";

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
