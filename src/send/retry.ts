import { parseHttpDate } from "./http-date.ts";

/** The bounds of the waits between tries. */
export interface BackOff {
  /** The longest wait before the second try; it doubles with each further try. */
  readonly baseMs: number;
  /** No wait is longer. */
  readonly capMs: number;
}

/**
 * Milliseconds before try `attempt + 1`, where `attempt` counts from 1: exponential with full jitter, so that many
 * senders do not all come back at once. `random` gives a number from 0 up to, not including, 1.
 */
export function backOffMs(attempt: number, { baseMs, capMs }: BackOff, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 52));
  return Math.round(random() * ceiling);
}

/**
 * Milliseconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); 0 for a past date,
 * `undefined` for nonsense.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text, nowMs);
  return date === undefined ? undefined : Math.max(0, date - nowMs);
}
