import { onTestFinished } from "vitest";
import type { Settled } from "../../../src/model/counts.ts";
import type { PreparedRecord, RecordList } from "../../../src/model/settlement.ts";
import type { SendEnd, SendOptions } from "../../../src/send/send-run.ts";
import { createSendSession, type SendSession } from "../../../src/send/send-session.ts";
import { type Clock, defaultSendSettings, type SendSettings } from "../../../src/send/settings.ts";
import { createTarget, type TargetOptions } from "../../../src/send/target.ts";
import { createFastClock } from "./fast-clock.ts";
import { answer, type Behaviour, type HttpService, startService } from "./http-service.ts";
import { inChunks } from "./records.ts";

const TOKEN = "token-of-the-tests";

export function openSession(
  url: string,
  settings: Partial<SendSettings> = {},
  clock: Clock = createFastClock(),
  more: Partial<TargetOptions> = {},
  areCreatesProven = false,
): SendSession {
  const session = createSendSession({
    areCreatesProven,
    target: createTarget({ url, table: "commandes", token: TOKEN, ...more }),
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

interface How extends Partial<SendSettings> {
  /** True if the service has accepted creates before: no single one goes first. */
  readonly isProven?: boolean;
  readonly clock?: Clock;
  /** Signals and callbacks. */
  readonly on?: Partial<SendOptions>;
  /** The way to a service on this port; plain HTTP by default. */
  readonly way?: Way | undefined;
}

/** How a service that listens on a port of this machine is reached. */
export type Way = (port: number) => Partial<TargetOptions> | Promise<Partial<TargetOptions>>;

interface Ended extends Pushed {
  /** Lines, in the order of settling. */
  readonly lines: Readonly<Record<Settled["outcome"], number[]>>;
  /** Kind and code of the failure; `""` if there is none. */
  readonly stop: string;
  /** How many records each request had. */
  readonly sizes: readonly number[];
  readonly http: HttpService;
  readonly session: SendSession;
}

/** Pushes to a service with this behaviour. */
export async function push(
  behave: Behaviour,
  records: readonly PreparedRecord[] | AsyncIterable<RecordList>,
  { clock, on, isProven, way, ...settings }: How = {},
): Promise<Ended> {
  const http = await startService(behave);
  const session = openSession(http.url, settings, clock, await way?.(http.port), isProven);
  const pushed = await sendAll(session, records, on);
  const { failure, settled } = pushed;
  const of = (outcome: Settled["outcome"]): number[] => linesOf(settled, outcome);
  const lines = {
    accepted: of("accepted"),
    refused: of("refused"),
    failed: of("failed"),
    inDoubt: of("inDoubt"),
  };
  const stop = failure === undefined ? "" : `${failure.kind} ${failure.code}`;
  return { ...pushed, lines, stop, sizes: http.requests.map(({ records: of }) => of.length), http, session };
}

export const ok: Behaviour = (_, response) => answer(response);
export const lost: Behaviour = ({ socket }) => socket.destroy();
/** No answer ever. */
export const silent: Behaviour = () => undefined;

export const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    answer(response, code, `status ${code}`, headers);

/** Behaves so in turn, and from the last one on always so. */
export const inTurn =
  (...behaviours: readonly Behaviour[]): Behaviour =>
  (request, response) =>
    behaviours[Math.min(request.number, behaviours.length) - 1]!(request, response);

/** Refuses requests that hold one of these values with this status. */
export const refusing =
  (code: number, ...values: readonly string[]): Behaviour =>
  ({ records }, response) =>
    answer(response, records.some(({ num_commande = "" }) => values.includes(num_commande)) ? code : 200);
