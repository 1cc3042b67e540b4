import { createHash, randomUUID } from "node:crypto";
import type { IdempotencyKey } from "../model/idempotency-key.ts";

/** A request that is sent late in the life of its key may arrive after that life has ended. */
const SHARE_OF_LIFE = 0.9;

/** A new key for a body that is about to be sent. */
export function makeKey(body: Buffer, nowMs: number): IdempotencyKey {
  return { key: randomUUID(), sinceMs: nowMs, sum: sumOf(body) };
}

/**
 * The last moment, in milliseconds since 1970, at which a request may be sent for the service still to recognise its
 * key.
 */
export function endOfLife({ sinceMs }: IdempotencyKey, ttlMs: number): number {
  return sinceMs + ttlMs * SHARE_OF_LIFE;
}

/** True if the service, which remembers keys for `ttlMs`, will still know this one when a request arrives. */
export function isAlive(key: IdempotencyKey, ttlMs: number, nowMs: number): boolean {
  return nowMs >= key.sinceMs && nowMs < endOfLife(key, ttlMs);
}

/** True if a body is the one that a key belongs to. */
export function isBodyOf({ sum }: IdempotencyKey, body: Buffer): boolean {
  return sum === sumOf(body);
}

/** The header's value: a string of RFC 8941. */
export function showKey({ key }: IdempotencyKey): string {
  return `"${key}"`;
}

function sumOf(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex");
}
