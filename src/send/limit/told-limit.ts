import type { ToldQuota } from "./parse-told-quotas.ts";

/** A limit as it is known between two answers. */
interface Known {
  left: number;
  untilMs: number;
  readonly quota: number | undefined;
  readonly windowMs: number | undefined;
}

/** As long as more than this share of the quota is left, nothing waits. */
const FREE_SHARE = 0.5;
/** No answer can stop the pace for longer than this; `--max-wait` decides before that. */
const MOST_MS = 24 * 60 * 60_000;

/**
 * Keeps the limits that a service announces: as long as more than half is left, requests are not slowed down; then
 * what is left is spread over the time until more are allowed; when nothing is left, all requests wait. Times are
 * milliseconds of one clock.
 */
export class ToldLimit {
  #known: Known[] = [];
  /** Number of requests sent. */
  #sent = 0;
  /** The number of the request whose answer counts at present. */
  #countedSent = 0;

  /** A request is sent; returns its number, which its answer is noted with. */
  leaving(): number {
    for (const known of this.#known) known.left -= 1;
    this.#sent += 1;
    return this.#sent;
  }

  /** Notes the limits in an answer. Those from a request that was sent before the one that counts are outdated. */
  note(told: readonly ToldQuota[], number: number, nowMs: number): void {
    if (told.length === 0 || number < this.#countedSent) return;
    this.#countedSent = number;
    const leftSince = this.#sent - number;
    this.#known = told.flatMap((one, at) => known(one, this.#known[at], leftSince, nowMs));
  }

  /** Milliseconds for which nothing may be sent. */
  waitMs(nowMs: number): number {
    this.#renew(nowMs);
    return Math.max(0, ...this.#known.map(({ left, untilMs }) => (left > 0 ? 0 : untilMs - nowMs)));
  }

  /** Milliseconds to wait after a request that is sent now. */
  gapMs(nowMs: number): number {
    this.#renew(nowMs);
    return Math.max(
      0,
      ...this.#known.map(({ left, untilMs, quota }) =>
        left <= 0 || (quota !== undefined && left > quota * FREE_SHARE) ? 0 : (untilMs - nowMs) / left,
      ),
    );
  }

  /** A window that is over begins again if its rule is known; otherwise nothing is known any more. */
  #renew(nowMs: number): void {
    if (this.#known.every(({ untilMs }) => nowMs < untilMs)) return;
    this.#known = this.#known.flatMap((one) => {
      const { untilMs, quota, windowMs } = one;
      if (nowMs < untilMs) return [one];
      if (quota === undefined || windowMs === undefined) return [];
      return [{ ...one, left: quota, untilMs: nowMs + windowMs }];
    });
  }
}

function known(
  { left, resetMs, quota, windowMs }: ToldQuota,
  before: Known | undefined,
  leftSince: number,
  nowMs: number,
): Known[] {
  if (left === undefined) {
    // Only the rule is given, so what is left of it is counted here.
    if (before !== undefined && before.quota === quota && nowMs < before.untilMs) return [before];
    return [{ left: quota! - 1 - leftSince, untilMs: nowMs + windowMs!, quota, windowMs }];
  }
  if (resetMs === undefined) return [];
  return [{ left: left - leftSince, untilMs: nowMs + Math.min(resetMs, MOST_MS), quota, windowMs }];
}
