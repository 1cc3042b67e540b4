import type { Settled } from "../../../src/model/counts.ts";
import type { PreparedRecord } from "../../../src/model/settlement.ts";
import { sendRecords } from "../../../src/send/send-session.ts";
import { HeldKeys, type SessionState, Streaks } from "../../../src/send/session-state.ts";
import { defaultSendSettings, type SendSettings } from "../../../src/send/settings.ts";
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

/** Sends a number of batches, of one update each, to a simulated service in virtual time. */
export async function simulate(
  batches: number,
  makeService: MakeService,
  { records = updates(batches), ...given }: SimulateOptions = {},
  random: () => number = () => 0.5,
): Promise<Simulated> {
  const clock = new VirtualClock();
  const service = simulateService(clock, makeService(clock));
  const settings: SendSettings = {
    ...defaultSendSettings,
    batchSize: 1,
    userAgent: "rec-push/test",
    redact: (text) => text,
    ...given,
  };
  const target = createTarget({ url: "http://127.0.0.1:1", table: "t", token: "token-of-the-tests" });
  const state: SessionState = {
    target,
    settings,
    clock,
    random,
    service,
    tokens: undefined,
    traffic: new Traffic(settings, clock),
    learnt: {
      maxBytes: settings.batchBytes,
      hasReached: false,
      areCreatesProven: false,
    },
    streaks: new Streaks(settings.maxFailed),
    heldKeys: new HeldKeys(),
  };
  const never = new AbortController().signal;
  const gather = async (): Promise<Settled["outcome"][]> => {
    const outcomes: Settled["outcome"][] = [];
    const onSettled = async ({ outcome }: Settled): Promise<void> => void outcomes.push(outcome);
    const { failure } = await sendRecords(
      inChunks(records),
      { drain: never, abort: never, onSettled },
      state,
    );
    if (failure !== undefined) throw failure;
    return outcomes;
  };
  const outcomes = await clock.run(gather());
  return { seen: service.seen, ms: clock.now(), outcomes };
}

/** The average number of requests in flight when one arrived. */
export function meanInFlight(seen: Simulated["seen"]): number {
  return seen.reduce((sum, { inFlight }) => sum + inFlight, 0) / seen.length;
}
