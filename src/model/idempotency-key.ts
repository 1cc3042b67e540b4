/**
 * Makes it safe to send one body again: a service that honours the key applies the body once
 * (draft-ietf-httpapi-idempotency-key-header). A key belongs to exactly one body.
 */
export interface IdempotencyKey {
  readonly key: string;
  /** When the body was first sent, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Hex SHA-256 of the body. */
  readonly sum: string;
}

/** Creates that were sent in one request under a key, and whose outcome is unknown. */
export interface DoubtfulBatch {
  readonly records: number;
  readonly key: IdempotencyKey;
}
