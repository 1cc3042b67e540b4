import type { Settled } from "../../../src/model/counts.ts";
import type { PreparedRecord } from "../../../src/model/settlement.ts";
import type { ToldQuota } from "../../../src/send/limit/told-limit.ts";
import { sendRecords } from "../../../src/send/send-session.ts";
import type { Service } from "../../../src/send/service.ts";
import { HeldKeys, type SessionState, Streaks } from "../../../src/send/session-state.ts";
import { type Clock, defaultSendSettings, type SendSettings } from "../../../src/send/settings.ts";
import type { Answer } from "../../../src/send/success.ts";
import { createTarget } from "../../../src/send/target.ts";
import { Traffic } from "../../../src/send/traffic.ts";
import { inChunks, updates } from "./records.ts";
import { VirtualClock } from "./virtual-clock.ts";

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

interface SimulatedService extends Service {
  /** The requests and how they ended, in the order of arrival. */
  readonly seen: { readonly atMs: number; readonly inFlight: number; readonly status: number }[];
}

function simulateService(
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

/** The result of a simulated push. */
export interface Simulated {
  readonly seen: SimulatedService["seen"];
  /** The duration of the push. */
  readonly ms: number;
  /** The outcomes of the batches. */
  readonly outcomes: readonly Settled["outcome"][];
}

export type MakeService = (clock: VirtualClock) => (arrival: Arrival) => Reaction | Promise<Reaction>;

interface SimulateOptions extends Partial<SendSettings> {
  readonly records?: readonly PreparedRecord[];
}

/** Sends records, each a batch of its own unless said otherwise, over this service. */
async function sendOver(
  service: Service,
  records: readonly PreparedRecord[],
  given: Partial<SendSettings>,
  clock: Clock,
  random: () => number = () => 0.5,
) {
  const settings: SendSettings = {
    ...defaultSendSettings,
    batchSize: 1,
    userAgent: "rec-push/test",
    redact: (text) => text,
    ...given,
  };
  const state: SessionState = {
    target: createTarget({ url: "http://127.0.0.1:1", table: "t", token: "token-of-the-tests" }),
    settings,
    clock,
    random,
    service,
    tokens: undefined,
    traffic: new Traffic(settings, clock),
    learnt: { maxBytes: settings.batchBytes, hasReached: false, areCreatesProven: true },
    streaks: new Streaks(settings.maxFailed),
    heldKeys: new HeldKeys(),
  };
  const never = new AbortController().signal;
  const settled: Settled[] = [];
  const onSettled = async (one: Settled): Promise<void> => void settled.push(one);
  const end = await sendRecords(inChunks(records), { drain: never, abort: never, onSettled }, state);
  return { ...end, settled };
}

/** Sends a number of batches, of one update each, to a simulated service in virtual time. */
export async function simulate(
  batches: number,
  makeService: MakeService,
  { records = updates(batches), ...given }: SimulateOptions = {},
  random?: () => number,
): Promise<Simulated> {
  const clock = new VirtualClock();
  const service = simulateService(clock, makeService(clock));
  const { failure, settled } = await clock.run(sendOver(service, records, given, clock, random));
  if (failure !== undefined) throw failure;
  return { seen: service.seen, ms: clock.now(), outcomes: settled.map(({ outcome }) => outcome) };
}

/** The average number of requests in flight when one arrived. */
export function meanInFlight(seen: Simulated["seen"]): number {
  return seen.reduce((sum, { inFlight }) => sum + inFlight, 0) / seen.length;
}
