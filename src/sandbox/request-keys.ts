import { createHash } from "node:crypto";
import { type Answer, answerMsg } from "./reply.ts";

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
