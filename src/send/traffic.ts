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

/** A request on its way; its end is reported to it. */
interface RequestOnItsWay {
  /** Its first byte leaves; `isFresh`: the connection was not used before, which makes a request slower. */
  readonly sending: (isFresh: boolean) => void;
  readonly ended: (end: Answer | TransportFault) => void;
}

/** How many requests are in flight and when the next one leaves: one for a session. */
export interface Traffic {
  readonly pace: Pace;
  /** Batches in flight at most; changes only while a request ends. */
  readonly limit: number;
  /** Batches of creates among them at most. */
  readonly createLimit: number;
  /** Milliseconds for which nothing may leave, as the limit that the service tells is used up. */
  toldWaitMs(): number;
  /** To be called when a request has had its turn; `isWhole`: it carries a batch as it was made; `turn`: its number. */
  begin(kind: RecordKind, isWhole: boolean, turn: number): RequestOnItsWay;
}

export function createTraffic(
  { concurrency, maxConcurrency, ratePerSecond }: SendSettings,
  clock: Clock,
): Traffic {
  const isAuto = concurrency === "auto";
  const inFlight: InFlightLimit = isAuto ? new AdaptiveLimit(maxConcurrency) : fixedLimit(concurrency);
  const creates = isAuto ? new CreateAllowance() : undefined;
  const finder = isAuto ? new RateFinder() : undefined;
  const told = new ToldLimit();

  return {
    pace: createPace(clock, ratePerSecond, finder, told),
    toldWaitMs: () => told.waitMs(clock.now()),
    get limit() {
      return inFlight.limit;
    },
    get createLimit() {
      return creates?.limit ?? Infinity;
    },
    begin(kind, isWhole, turn) {
      const mark = inFlight.begin(clock.now(), isWhole);
      return {
        sending: (isFresh) => {
          mark.sentMs = clock.now();
          mark.isFresh = isFresh;
        },
        ended: (end) => {
          const now = clock.now();
          const isTooMany = end.kind === "answer" && end.status === 429;
          // Where the rate is known, requests that are too many are a matter of the rate.
          const isRate = isTooMany && finder?.perSecond !== undefined;
          if (isTooMany) finder?.refused(mark.sentMs, now);
          else if (end.kind === "answer") finder?.accepted();
          if (end.kind === "answer") told.note(end.quotas ?? [], turn, now);
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

/** The evidence that the end of a request gives about the service's load. A refusal says nothing: it is often quicker than the work would be. */
function loadSign(end: Answer | TransportFault): LoadSign {
  if (end.kind === "fault") return OVERLOAD_STAGES.has(end.stage) ? "overloaded" : "nothing";
  if (end.status === 429) return "too-many";
  if (OVERLOAD_STATUSES.has(end.status)) return "overloaded";
  return end.status >= 200 && end.status < 300 ? "answered" : "nothing";
}
