import type { RecordKind } from "../model/record.ts";
import { AdaptiveLimit } from "./limit/adaptive-limit.ts";
import type { Answer } from "./answer.ts";
import type { Clock } from "./clock.ts";
import { CreateAllowance } from "./create-allowance.ts";
import { fixedLimit, type InFlightLimit, type LoadSign } from "./limit/in-flight-limit.ts";
import { createPace, type Pace } from "./limit/pace.ts";
import { RateFinder } from "./limit/rate-finder.ts";
import { ToldLimit } from "./limit/told-limit.ts";
import type { SendSettings } from "./settings.ts";
import type { TransportFault } from "./transport-fault.ts";

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
