import type { ToldQuota } from "../../../src/send/limit/told-limit.ts";
import type { Service } from "../../../src/send/service.ts";
import type { Answer } from "../../../src/send/success.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** The facts a simulated service has when a request arrives. */
export interface Arrival {
  readonly nowMs: number;
  /** Counted from 1. */
  readonly number: number;
  /** Requests in flight, including this one. */
  readonly inFlight: number;
  /** The memory from which it is sent. */
  readonly body: Buffer;
}

/** The duration of a request, and its answer. */
export interface Reaction {
  readonly ms: number;
  readonly status?: number;
  readonly retryAfter?: string;
  readonly quotas?: readonly ToldQuota[];
}

export interface SimulatedService extends Service {
  /** The requests and how they ended, in the order of arrival. */
  readonly seen: { readonly atMs: number; readonly inFlight: number; readonly status: number }[];
}

export function simulateService(
  clock: VirtualClock,
  react: (arrival: Arrival) => Reaction | Promise<Reaction>,
): SimulatedService {
  const seen: SimulatedService["seen"] = [];
  let inFlight = 0;
  return {
    seen,
    async post(body, _kind, _cut, onSending): Promise<Answer> {
      inFlight += 1;
      onSending?.(false);
      const arrival = { nowMs: clock.now(), number: seen.length + 1, inFlight, body };
      const place = seen.push({ atMs: arrival.nowMs, inFlight, status: 0 }) - 1;
      const { ms, status = 200, retryAfter, quotas = [] } = await react(arrival);
      seen[place] = { atMs: arrival.nowMs, inFlight: arrival.inFlight, status };
      await clock.sleep(ms);
      inFlight -= 1;
      const msg = status === 200 ? "Update Items OK." : `status ${status}`;
      return { kind: "answer", status, msg, text: "", retryAfter, location: undefined, quotas };
    },
    close: () => Promise.resolve(),
  };
}

/** `workers` that each take `serviceMs` for a request; further requests wait. */
export function workersTaking(
  clock: VirtualClock,
  workers: number,
  serviceMs: (arrival: Arrival) => number,
): (arrival: Arrival) => Reaction {
  const freeAtMs: number[] = Array.from({ length: workers }, () => 0);
  return (arrival) => {
    const first = freeAtMs.indexOf(Math.min(...freeAtMs));
    const endMs = Math.max(clock.now(), freeAtMs[first] ?? 0) + serviceMs(arrival);
    freeAtMs[first] = endMs;
    return { ms: endMs - clock.now() };
  };
}
