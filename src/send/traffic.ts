import type { RecordKind } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import { AdaptiveLimit, type LoadSign, type RequestMark } from "./limit/adaptive-limit.ts";
import { RateFinder } from "./limit/rate-finder.ts";
import { AnnouncedLimit } from "./limit/told-limit.ts";
import type { Clock, SendSettings } from "./settings.ts";
import type { Answer } from "./success.ts";

/** How many requests are in flight, and when the next one may be sent: one instance per session. */
export class Traffic {
  readonly pace: Pace;
  readonly #clock: Clock;
  readonly #fixed: number | undefined;
  readonly #adaptive: AdaptiveLimit | undefined;
  readonly #creates: CreateAllowance | undefined;
  readonly #finder: RateFinder | undefined;
  readonly #told = new AnnouncedLimit();

  constructor({ concurrency, ratePerSecond }: SendSettings, clock: Clock) {
    const isAuto = typeof concurrency === "object";
    this.#clock = clock;
    this.#fixed = isAuto ? undefined : concurrency;
    this.#adaptive = isAuto ? new AdaptiveLimit(concurrency.most) : undefined;
    this.#creates = isAuto ? new CreateAllowance() : undefined;
    this.#finder = isAuto ? new RateFinder() : undefined;
    this.pace = new Pace(clock, ratePerSecond, this.#finder, this.#told);
  }

  /** The most batches in flight; changes only when a request ends. */
  get limit(): number {
    return this.#fixed ?? this.#adaptive!.limit;
  }

  /** The most batches of creates among them. */
  get createLimit(): number {
    return this.#creates?.limit ?? Infinity;
  }

  /** Milliseconds for which nothing may be sent because the limit that the service announces is used up. */
  toldWaitMs(): number {
    return this.#told.usedUpMs(this.#clock.now());
  }

  /** To be called when it is a request's turn; `isWhole`: it carries a whole batch. */
  begin(isWhole: boolean): RequestMark {
    const now = this.#clock.now();
    return this.#adaptive?.begin(now, isWhole) ?? { sentMs: now, isWhole, isFresh: false };
  }

  /** To be called if no request is sent although it was its turn. */
  giveBack(): void {
    this.#told.stayed();
  }

  /** To be called with the end of each request that was begun. */
  end(mark: RequestMark, kind: RecordKind, end: Answer | TransportFault): void {
    const now = this.#clock.now();
    const isTooMany = end.kind === "answer" && end.status === 429;
    // If the rate is known, 429 is about the rate, not about the number in flight.
    const isRate = isTooMany && this.#finder?.perSecond !== undefined;
    if (isTooMany) this.#finder?.refused(mark.sentMs, now);
    else if (end.kind === "answer") this.#finder?.accepted();
    this.#told.ended((end.kind === "answer" && end.quotas) || [], mark.sentMs, now);
    this.pace.recheck();
    const sign = loadSign(end);
    if (kind === "create") this.#creates?.end(sign);
    this.#adaptive?.end(mark, isRate ? "nothing" : sign, now);
  }
}

const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([408, 502, 503, 504]);
const OVERLOAD_STAGES: ReadonlySet<TransportFault["stage"]> = new Set(["timeout", "lost", "not-connected"]);

/** The sign of load in the end of a request. A refusal is no sign: it is often quicker than the work would be. */
function loadSign(end: Answer | TransportFault): LoadSign {
  if (end.kind === "fault") return OVERLOAD_STAGES.has(end.stage) ? "overloaded" : "nothing";
  if (end.status === 429) return "too-many";
  if (OVERLOAD_STATUSES.has(end.status)) return "overloaded";
  return end.status >= 200 && end.status < 300 ? "answered" : "nothing";
}

const START = 4;
/** Batches, for each answer. */
const GROWTH = 1 / 8;

/**
 * How many batches of creates may be in flight at once. If the service cannot cope, creates are not just sent later
 * but end in doubt. So one more is allowed after every eight answers, and an overload takes their number back to the
 * start.
 */
class CreateAllowance {
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

/**
 * If a timer fires late, at most this share of the gap is made up for, so that a busy machine still keeps the rate.
 */
const MOST_MADE_UP = 1 / 2;

/**
 * Decides when a request may be sent: one by one in the order of asking, spaced evenly at `ratePerSecond` or at the rate
 * that the finder has found if that is lower, and within the limit that the service announces; nothing is made up after an
 * idle time or a pause.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #ratePerSecond: number;
  readonly #finder: RateFinder | undefined;
  readonly #told: AnnouncedLimit | undefined;
  #pausedUntil = 0;
  /** When the latest request was to be sent: the next one follows after the gap. */
  #latest = -Infinity;
  #last = Promise.resolve(true);
  #wake = (): void => undefined;

  constructor(clock: Clock, ratePerSecond = Infinity, finder?: RateFinder, told?: AnnouncedLimit) {
    this.#clock = clock;
    this.#ratePerSecond = ratePerSecond;
    this.#finder = finder;
    this.#told = told;
  }

  /**
   * Resolves when the next request may be sent, or as soon as the signal is set: then to false, and nothing may be
   * sent.
   */
  turn(signal: AbortSignal): Promise<boolean> {
    this.#last = this.#last.then(() => this.#takeSlot(signal));
    return this.#last;
  }

  /**
   * Holds all requests back for `ms` from now; returns by how many milliseconds that lengthens a pause already in
   * force.
   */
  pause(ms: number): number {
    const until = this.#clock.now() + ms;
    const added = Math.max(0, until - Math.max(this.#clock.now(), this.#pausedUntil));
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    return added;
  }

  /** To be called when the limit that the service announces has changed. */
  recheck(): void {
    this.#wake();
  }

  get #gapMs(): number {
    return 1000 / Math.min(this.#ratePerSecond, this.#finder?.perSecond ?? Infinity);
  }

  async #takeSlot(signal: AbortSignal): Promise<boolean> {
    let hasWaited = false;
    while (!signal.aborted) {
      const now = this.#clock.now();
      const slot = this.#latest + this.#gapMs;
      const heldUntil = Math.max(this.#pausedUntil, now + (this.#told?.waitMs(now) ?? 0));
      if (now < heldUntil) {
        hasWaited = heldUntil <= slot;
        await this.#sleepUntil(heldUntil, signal);
      } else if (now < slot) {
        hasWaited = true;
        await this.#sleepUntil(slot, signal);
      } else {
        this.#finder?.leaving(now, hasWaited);
        this.#told?.leaving();
        this.#latest = hasWaited ? Math.max(slot, now - this.#gapMs * MOST_MADE_UP) : now;
        return true;
      }
    }
    return false;
  }

  /** Sleeps until then, or until a change may shorten the wait. */
  async #sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
    const nap = new AbortController();
    this.#wake = () => nap.abort();
    signal.addEventListener("abort", this.#wake, { once: true });
    await this.#clock.sleep(ms - this.#clock.now(), nap.signal);
    signal.removeEventListener("abort", this.#wake);
  }
}
