import type { Settled } from "../../../src/model/counts.ts";
import type { PreparedRecord } from "../../../src/model/settlement.ts";
import { sendRecords } from "../../../src/send/send-session.ts";
import { HeldKeys, type SessionState, Streaks } from "../../../src/send/session-state.ts";
import type { Service } from "../../../src/send/service.ts";
import { type Clock, defaultSendSettings, type SendSettings } from "../../../src/send/settings.ts";
import { createTarget } from "../../../src/send/target.ts";
import { Traffic } from "../../../src/send/traffic.ts";
import { inChunks, updates } from "./records.ts";
import { type Arrival, type Reaction, type SimulatedService, simulateService } from "./simulated-service.ts";
import { VirtualClock } from "./virtual-clock.ts";

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
export async function sendOver(
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
