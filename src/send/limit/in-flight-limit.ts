/** A request under way, as the limit remembers it. */
export interface RequestMark {
  /** When its first byte left, and until then when it was begun. */
  sentMs: number;
  /** It carries a batch as it was made, so that its time can be compared. */
  readonly isWhole: boolean;
  /** Its connection was not used before, which may make it slower. */
  isFresh: boolean;
}

/** The evidence of a request's end about the service's load: work done, too many requests (429), too much work, or none. */
export type LoadSign = "answered" | "too-many" | "overloaded" | "nothing";

/** How many batches may be in flight at once. Every request is reported to it, in milliseconds of one clock. */
export interface InFlightLimit {
  readonly limit: number;
  begin(nowMs: number, isWhole: boolean): RequestMark;
  end(mark: RequestMark, sign: LoadSign, nowMs: number): void;
}

/** Always the same. */
export function fixedLimit(limit: number): InFlightLimit {
  return {
    limit,
    begin: (nowMs, isWhole) => ({ sentMs: nowMs, isWhole, isFresh: false }),
    end: () => undefined,
  };
}
