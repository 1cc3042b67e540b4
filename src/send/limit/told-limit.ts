import type { ToldQuota } from "./parse-told-quotas.ts";

/** A limit as the answer told it that the service gave last. */
interface Known {
  /** How many were left when the service counted that request; those in flight now are not counted yet. */
  readonly left: number;
  readonly by: Answered;
  /** When more are allowed for certain. */
  readonly untilMs: number;
  /** When more are allowed at the earliest if the service rounds the time that it tells down. */
  readonly notBeforeMs: number;
  /** The rule; where it is not told, the most that was seen. */
  readonly quota: number;
  readonly windowMs: number;
  /** Requests are allowed again one by one, as in a bucket that fills, and not all at once. */
  readonly isRefilled: boolean;
}

/** When a request was sent, when its answer came, and whether it was one too many, which services may not count. */
interface Answered {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly isRefused: boolean;
}

/** As long as this share of the quota is left, nothing waits; a limit that rises by more has begun a new window. */
const HALF = 0.5;
/** Times are told in whole seconds. */
const UNIT_MS = 1000;
/** Requests that are spaced by the rule alone keep this far below it, because not all take the same time to arrive. */
const MARGIN = 1.01;
/** A limit is used up if nothing may be sent for longer than this many even gaps; the last half has gaps of two. */
const SHORT_GAPS = 3;
/** No answer can stop the pace for longer than this; `--max-wait` decides before that. */
const MOST_MS = 24 * 60 * 60_000;

/**
 * Keeps the limits that a service announces: as long as half is left, requests are not slowed down; then what is left
 * is spread over the time until more are allowed; when nothing is left, all requests wait. After that time they are
 * spaced evenly by the rule until an answer tells what is left now. Times are milliseconds of one clock.
 */
export class ToldLimit {
  #known: readonly Known[] = [];
  #inFlight = 0;
  /** The time of the quickest request. */
  #leastMs = Infinity;
  /** What the service may have taken off the time that it tells: whether it rounds up or down is seen later. */
  #roundedOffMs = UNIT_MS;

  /** A request may be sent, and will be. */
  leaving(): void {
    this.#inFlight += 1;
  }

  /** That request was not sent. */
  stayed(): void {
    this.#inFlight -= 1;
  }

  /** A request has ended, with an answer that tells these limits; nothing told says nothing. */
  ended(told: readonly ToldQuota[], by: Answered): void {
    this.#inFlight -= 1;
    // Without limits in its answer, or without an answer, it counts all the same.
    if (told.length === 0) this.#known = this.#known.map((known) => ({ ...known, left: known.left - 1 }));
    else this.#known = told.flatMap((one, at) => this.#learn(one, this.#known[at], by));
  }

  /** Milliseconds for which nothing may be sent. */
  waitMs(nowMs: number): number {
    return Math.max(
      0,
      ...this.#known.map(({ left, untilMs }) => (left > this.#inFlight ? 0 : untilMs - nowMs)),
    );
  }

  /** The same, but 0 for a wait that is not much longer than those between requests that are spread evenly. */
  usedUpMs(nowMs: number): number {
    const waits = this.#known.map(({ left, untilMs, windowMs, quota }) => {
      const ms = left > this.#inFlight ? 0 : untilMs - nowMs;
      return ms > windowMs * Math.min(1 / 2, SHORT_GAPS / quota) ? ms : 0;
    });
    return Math.max(0, ...waits);
  }

  /** Milliseconds to wait after the latest request, which was sent at that time. */
  gapMs(sentMs: number): number {
    return Math.max(0, ...this.#known.map((known) => this.#gapMs(known, sentMs)));
  }

  #gapMs({ left, untilMs, quota, windowMs, isRefilled }: Known, sentMs: number): number {
    const even = (windowMs / quota) * MARGIN;
    if (sentMs >= untilMs) return even;
    // The latest one is in flight, and the time is spread over it and those that follow.
    const spread = left - this.#inFlight + 1;
    if (spread <= 0 || spread > quota * HALF) return 0;
    return isRefilled ? even : (untilMs - sentMs) / spread;
  }

  #learn(told: ToldQuota, before: Known | undefined, by: Answered): Known[] {
    if (told.left === undefined) return this.#learnRule(told, before, by);
    if (told.resetMs === undefined) return [];
    const left = told.left;
    // As many as before are more than one fewer.
    const isMore = before === undefined || left > before.left - (by.isRefused ? 0 : 1);
    const isNew =
      before === undefined || (left > before.left + before.quota * HALF && by.sentMs > before.by.sentMs);
    if (before !== undefined && !isNew && this.#isOutdated(left, before, by)) return [before];
    if (before !== undefined) this.#learnRounding(before, isMore, by);
    const resetMs = Math.min(told.resetMs, MOST_MS);
    const countedMs = this.#countedMs(by);
    let untilMs = countedMs + resetMs + this.#roundedOffMs;
    if (isMore) untilMs = Math.min(untilMs, countedMs + (told.windowMs ?? Infinity));
    else if (by.sentMs < before.untilMs) untilMs = Math.min(untilMs, before.untilMs);
    const known = {
      left,
      by,
      untilMs,
      notBeforeMs: Math.max(by.sentMs + resetMs, isMore ? 0 : before.notBeforeMs),
      quota: told.quota || Math.max(left + 1, before?.quota ?? 0),
      windowMs: told.windowMs ?? Math.max(resetMs, before?.windowMs ?? 0),
      isRefilled: !isNew && (isMore || before.isRefilled),
    };
    return [known];
  }

  /** When the service counted a request, at the latest: half of the quickest request's time before its answer came. */
  #countedMs({ sentMs, answeredMs }: Answered): number {
    this.#leastMs = Math.min(this.#leastMs, answeredMs - sentMs);
    return answeredMs - this.#leastMs / 2;
  }

  /** If only the rule is given, the requests of the first window are counted here. */
  #learnRule({ quota, windowMs }: ToldQuota, before: Known | undefined, by: Answered): Known[] {
    if (!quota || !windowMs) return [];
    if (before?.quota === quota && before.windowMs === windowMs)
      return [{ ...before, left: before.left - 1 }];
    const untilMs = this.#countedMs(by) + windowMs;
    return [{ left: quota - 1, by, untilMs, notBeforeMs: untilMs, quota, windowMs, isRefilled: false }];
  }

  /** Requests in flight together are not counted in the order of their answers. */
  #isOutdated(left: number, before: Known, by: Answered): boolean {
    if (left >= before.left) return by.sentMs < before.by.answeredMs;
    return left < before.left - before.quota * HALF && by.sentMs < before.by.sentMs;
  }

  /**
   * More requests before the time told is over show that the service rounds up; no more of them by then, that it
   * rounds down.
   */
  #learnRounding(before: Known, isMore: boolean, { sentMs, answeredMs }: Answered): void {
    if (isMore && answeredMs < before.notBeforeMs) this.#roundedOffMs = 0;
    else if (!isMore && sentMs >= before.untilMs) this.#roundedOffMs = UNIT_MS;
  }
}
