import type { RecordKind } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import { AdaptiveLimit, fixedLimit, type InFlightLimit, type LoadSign } from "./limit/adaptive-limit.ts";
import type { ToldQuota } from "./limit/parse-told-quotas.ts";
import { RateFinder } from "./limit/rate-finder.ts";
import type { Clock, SendSettings } from "./settings.ts";
import type { Answer } from "./success.ts";

/** A request in flight; its end is reported to it. */
interface RequestOnItsWay {
  /** Its first byte is sent; `isFresh`: the connection was not used before, which makes a request slower. */
  readonly sending: (isFresh: boolean) => void;
  /** When that was; `undefined`: never. */
  readonly sentMs: () => number | undefined;
  readonly ended: (end: Answer | TransportFault) => void;
}

/** How many requests are in flight, and when the next one may be sent: one instance per session. */
export interface Traffic {
  readonly pace: Pace;
  /** The most batches in flight; changes only when a request ends. */
  readonly limit: number;
  /** The most batches of creates among them. */
  readonly createLimit: number;
  /** Milliseconds for which nothing may be sent because the limit that the service announces is used up. */
  toldWaitMs(): number;
  /** To be called when it is a request's turn; `isWhole`: it carries a whole batch. */
  begin(kind: RecordKind, isWhole: boolean): RequestOnItsWay;
  /** To be called if no request is sent although it was its turn. */
  giveBack(): void;
}

export function createTraffic({ concurrency, ratePerSecond }: SendSettings, clock: Clock): Traffic {
  const isAuto = typeof concurrency === "object";
  const inFlight: InFlightLimit = isAuto ? new AdaptiveLimit(concurrency.most) : fixedLimit(concurrency);
  const creates = isAuto ? new CreateAllowance() : undefined;
  const finder = isAuto ? new RateFinder() : undefined;
  const told = new ToldLimit();
  const pace = createPace(clock, ratePerSecond, finder, told);

  return {
    pace,
    toldWaitMs: () => told.usedUpMs(clock.now()),
    get limit() {
      return inFlight.limit;
    },
    get createLimit() {
      return creates?.limit ?? Infinity;
    },
    giveBack: () => told.stayed(),
    begin(kind, isWhole) {
      const mark = inFlight.begin(clock.now(), isWhole);
      let sentMs: number | undefined;
      return {
        sending: (isFresh) => {
          mark.sentMs = clock.now();
          mark.isFresh = isFresh;
          sentMs = mark.sentMs;
        },
        sentMs: () => sentMs,
        ended: (end) => {
          const now = clock.now();
          const isTooMany = end.kind === "answer" && end.status === 429;
          // If the rate is known, too many requests concern the rate and not the number in flight.
          const isRate = isTooMany && finder?.perSecond !== undefined;
          const quotas = (end.kind === "answer" ? end.quotas : undefined) ?? [];
          if (isTooMany) finder?.refused(mark.sentMs, now);
          else if (end.kind === "answer") finder?.accepted();
          told.ended(quotas, { sentMs: mark.sentMs, answeredMs: now, isRefused: isTooMany });
          if (quotas.length > 0) pace.recheck();
          const sign = loadSign(end);
          if (kind === "create") creates?.end(sign);
          inFlight.end(mark, isRate ? "nothing" : sign, now);
        },
      };
    },
  };
}

const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([408, 502, 503, 504]);
const OVERLOAD_STAGES: ReadonlySet<TransportFault["stage"]> = new Set(["timeout", "lost", "not-connected"]);

/**
 * What the end of a request says about the service's load. A refusal says nothing: it is often quicker than the work
 * would be.
 */
function loadSign(end: Answer | TransportFault): LoadSign {
  if (end.kind === "fault") return OVERLOAD_STAGES.has(end.stage) ? "overloaded" : "nothing";
  if (end.status === 429) return "too-many";
  if (OVERLOAD_STATUSES.has(end.status)) return "overloaded";
  return end.status >= 200 && end.status < 300 ? "answered" : "nothing";
}

const START = 4;
const GROWTH = 1 / 8;

/**
 * How many batches of creates may be in flight at once. If the service cannot cope, creates are not just sent later
 * but end in doubt; so their number grows by an eighth at a time where that of updates doubles, and an overload takes
 * all of the growth back.
 */
export class CreateAllowance {
  #allowed = START;

  get limit(): number {
    return Math.floor(this.#allowed);
  }

  /** A request with creates has ended. */
  end(sign: LoadSign): void {
    if (sign === "answered") this.#allowed += GROWTH;
    else if (sign === "overloaded") this.#allowed = START;
  }
}

/** Decides when a request may be sent: one instance is shared by all requests of a session. */
export interface Pace {
  /**
   * Resolves when the next request may be sent, or as soon as the signal is set: then to false, and nothing may be
   * sent.
   */
  turn(signal: AbortSignal): Promise<boolean>;
  /**
   * Holds all requests back for `ms` from now; returns by how many milliseconds that lengthens a pause already in
   * force.
   */
  pause(ms: number): number;
  /** To be called when more is known about the limit that the service announces. */
  recheck(): void;
}

/**
 * If a timer fires late, at most this share of the gap is made up for, so that a busy machine still keeps the rate.
 */
const MOST_MADE_UP = 1 / 2;

/**
 * Requests are sent one by one in the order of asking, spaced evenly at `ratePerSecond` or at the rate that the
 * finder has found if that is lower, and within the limit that the service announces; nothing is made up after an
 * idle time or a pause.
 */
export function createPace(
  clock: Clock,
  ratePerSecond: number | undefined,
  finder?: RateFinder,
  told?: ToldLimit,
): Pace {
  let pausedUntil = 0;
  /** When the latest request was to be sent: the next one follows after the gap. */
  let latest: number | undefined;
  let last = Promise.resolve(true);
  let wake = (): void => undefined;

  const gapMs = (sinceMs: number): number =>
    Math.max(
      1000 / Math.min(ratePerSecond ?? Infinity, finder?.perSecond ?? Infinity),
      told?.gapMs(sinceMs) ?? 0,
    );
  const nextSlot = (): number => (latest === undefined ? -Infinity : latest + gapMs(latest));

  /** Sleeps until then, or until something is known that may change it. */
  async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
    const nap = new AbortController();
    wake = () => nap.abort();
    signal.addEventListener("abort", wake, { once: true });
    await clock.sleep(ms - clock.now(), nap.signal);
    signal.removeEventListener("abort", wake);
  }

  async function takeSlot(signal: AbortSignal): Promise<boolean> {
    let hasWaited = false;
    for (;;) {
      if (signal.aborted) return false;
      const now = clock.now();
      const slot = nextSlot();
      const heldUntil = Math.max(pausedUntil, now + (told?.waitMs(now) ?? 0));
      if (now < heldUntil) {
        hasWaited = heldUntil <= slot;
        await sleepUntil(heldUntil, signal);
      } else if (now < slot) {
        hasWaited = true;
        await sleepUntil(slot, signal);
      } else {
        finder?.leaving(now, hasWaited);
        told?.leaving();
        latest = hasWaited ? Math.max(slot, now - gapMs(now) * MOST_MADE_UP) : now;
        return true;
      }
    }
  }

  return {
    turn(signal) {
      last = last.then(() => takeSlot(signal));
      return last;
    },
    pause(ms) {
      const now = clock.now();
      const added = Math.max(0, now + ms - Math.max(now, pausedUntil));
      pausedUntil = Math.max(pausedUntil, now + ms);
      return added;
    },
    recheck() {
      wake();
    },
  };
}

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
