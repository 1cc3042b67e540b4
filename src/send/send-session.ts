import { ByteMemory } from "../model/byte-memory.ts";
import type { RecordList } from "../model/record-list.ts";
import { systemClock, type Clock } from "./clock.ts";
import { HeldKeys } from "./held-keys.ts";
import { LateKeys } from "./late-keys.ts";
import type { SendEnd, SendOptions } from "./send-options.ts";
import { createTokens } from "./oauth/tokens.ts";
import { sendRecords } from "./send-records.ts";
import { createService } from "./service.ts";
import type { SessionState } from "./session-state.ts";
import type { SendSettings } from "./settings.ts";
import { Streaks } from "./streaks.ts";
import type { Target } from "./target.ts";
import { createTraffic } from "./traffic.ts";

/**
 * The way to one target, for all inputs of a command: connections, pace and what has been learnt are kept from one
 * input to the next.
 */
export interface SendSession {
  /** Sends the records of one input, chunks in file order; one input after the other. */
  send(records: AsyncIterable<RecordList>, options: SendOptions): Promise<SendEnd>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface SendSessionOptions {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock?: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random?: () => number;
}

/** Opens no connection before the first batch. */
export function createSendSession({
  target,
  settings,
  clock = systemClock,
  random = Math.random,
}: SendSessionOptions): SendSession {
  const { timeoutMs, userAgent, maxFailed, batchBytes, compress } = settings;
  const state: SessionState = {
    target,
    settings,
    clock,
    random,
    tokens: createTokens({ target, settings, clock, random }),
    service: createService({ target, timeoutMs, userAgent, compress }),
    traffic: createTraffic(settings, clock),
    learnt: { maxBytes: batchBytes, hasReached: false, hasAcceptedCreate: false, areCreatesInTurn: true },
    streaks: new Streaks(maxFailed),
    bodyMemory: new ByteMemory(),
    heldKeys: new HeldKeys(),
    lateKeys: new LateKeys(),
  };
  return {
    send: (records, options) => sendRecords(records, options, state),
    close: async () => {
      await Promise.all([state.tokens?.close(), state.service.close()]);
    },
  };
}
