import type { RecordKind } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import { AdaptiveLimit, fixedLimit, type InFlightLimit, type LoadSign } from "./limit/adaptive-limit.ts";
import { RateFinder } from "./limit/rate-finder.ts";
import { ToldLimit } from "./limit/told-limit.ts";
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
          told.ended(quotas, mark.sentMs, now);
          pace.recheck();
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

  const gapMs = (): number => 1000 / Math.min(ratePerSecond ?? Infinity, finder?.perSecond ?? Infinity);
  const nextSlot = (): number => (latest === undefined ? -Infinity : latest + gapMs());

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
        latest = hasWaited ? Math.max(slot, now - gapMs() * MOST_MADE_UP) : now;
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
