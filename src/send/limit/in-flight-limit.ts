/** A request in flight, as the limit remembers it. */
export interface RequestMark {
  /** When its first byte was sent; before that, when it was begun. */
  sentMs: number;
  /** True if it carries a whole batch, so that its latency can be compared. */
  readonly isWhole: boolean;
  /** True if its connection was not used before, which may make it slower. */
  isFresh: boolean;
}

/**
 * What a request's end says about the service's load: it did the work, too many requests (429), too much work, or
 * nothing.
 */
export type LoadSign = "answered" | "too-many" | "overloaded" | "nothing";

/** How many batches may be in flight at once. Every request is reported to it, in milliseconds of one clock. */
export interface InFlightLimit {
  readonly limit: number;
  begin(nowMs: number, isWhole: boolean): RequestMark;
  end(mark: RequestMark, sign: LoadSign, nowMs: number): void;
}

/** A limit that never changes. */
export function fixedLimit(limit: number): InFlightLimit {
  return {
    limit,
    begin: (nowMs, isWhole) => ({ sentMs: nowMs, isWhole, isFresh: false }),
    end: () => undefined,
  };
}
