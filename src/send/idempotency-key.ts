import { randomUUID } from "node:crypto";

/**
 * A new key for a body that is about to be sent, as the header's value, a string of RFC 8941. It makes it safe to send that
 * body again: a service that honours it applies the body once (draft-ietf-httpapi-idempotency-key-header).
 */
export function makeKey(): string {
  return `"${randomUUID()}"`;
}
