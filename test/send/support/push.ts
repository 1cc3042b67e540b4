import { onTestFinished } from "vitest";
import type { Settled } from "../../../src/model/counts.ts";
import type { PreparedRecord, RecordList } from "../../../src/model/settlement.ts";
import type { SendEnd, SendOptions } from "../../../src/send/send-run.ts";
import { createSendSession, type SendSession } from "../../../src/send/send-session.ts";
import { type Clock, defaultSendSettings, type SendSettings } from "../../../src/send/settings.ts";
import { createTarget } from "../../../src/send/target.ts";
import { createFastClock } from "./fast-clock.ts";
import { inChunks } from "./records.ts";

export const TOKEN = "token-of-the-tests";

export function openSession(
  url: string,
  settings: Partial<SendSettings> = {},
  clock: Clock = createFastClock(),
): SendSession {
  const session = createSendSession({
    target: createTarget({ url, table: "commandes", token: TOKEN }),
    settings: {
      ...defaultSendSettings,
      userAgent: "rec-push/test",
      redact: (text) => text.replaceAll(TOKEN, "***"),
      ...settings,
    },
    clock,
    random: () => 0.5,
  });
  onTestFinished(() => session.close());
  return session;
}

export interface Pushed extends SendEnd {
  readonly settled: readonly Settled[];
}

/** Sends everything and collects the settlements. */
export async function sendAll(
  session: SendSession,
  records: readonly PreparedRecord[] | AsyncIterable<RecordList>,
  options: Partial<SendOptions> = {},
): Promise<Pushed> {
  const never = new AbortController().signal;
  const settled: Settled[] = [];
  const chunks = Symbol.asyncIterator in records ? records : inChunks(records);
  const end = await session.send(chunks, {
    drain: never,
    abort: never,
    ...options,
    onSettled: async (one) => {
      settled.push(one);
      await options.onSettled?.(one);
    },
  });
  return { ...end, settled };
}

/** Lines per outcome, in the order of settling. */
export function linesOf(settled: readonly Settled[], outcome: Settled["outcome"]): number[] {
  return settled
    .filter((one) => one.outcome === outcome)
    .flatMap(({ records }) => records.map(({ line }) => line));
}
