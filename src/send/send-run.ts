import { setMaxListeners } from "node:events";
import type { Settled } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { Batch, RecordKind, RecordList } from "../model/settlement.ts";
import { MAX_HELD_KEYS, type SessionState } from "./session-state.ts";
import type { Tokens } from "./tokens.ts";

/** State that the batches of one input share: how the run ends, and where their outcomes go. */
export class SendRun {
  readonly state: SessionState;
  /** Called when creates no longer have to go one batch at a time. */
  onCreatesFreed: () => void = () => undefined;
  readonly options: SendOptions;
  readonly #ending = new AbortController();
  readonly #cut = new AbortController();
  readonly #listening = new AbortController();
  /** Set once nothing new may be sent. */
  readonly ending = this.#ending.signal;
  /** Set once requests in flight are cut off. */
  readonly cut = this.#cut.signal;
  #error: unknown;
  #createsError: RecPushError | undefined;
  #waitedMs = 0;
  #hasLeftRows = false;
  readonly #hasEnding = new Promise<undefined>((resolve) => {
    this.ending.addEventListener("abort", () => resolve(undefined), { once: true });
  });

  constructor(state: SessionState, options: SendOptions) {
    this.state = state;
    this.options = options;
    setMaxListeners(0, this.ending, this.cut);
    this.#obey(options.drain, () => this.#ending.abort());
    this.#obey(options.abort, () => {
      this.#ending.abort();
      this.#cut.abort();
    });
  }

  get hasEnded(): boolean {
    return this.ending.aborted;
  }

  /** False once a batch of creates was refused and it is unknown which of them were applied. */
  get takesCreates(): boolean {
    return this.#createsError === undefined;
  }

  /** The first failure, or the interruption that left rows unsent. Throws only for a defect of rec-push. */
  get failure(): RecPushError | undefined {
    if (this.#error instanceof RecPushError) return this.#error;
    if (this.#error !== undefined) throw this.#error;
    if (this.#createsError !== undefined) return this.#createsError;
    if (!this.hasEnded || !this.#hasLeftRows) return undefined;
    return new RecPushError("interrupted", "interrupted before every record was sent");
  }

  /** Ends the run: nothing new is sent, requests in flight finish. The first error is the one that counts. */
  stop(error: unknown): void {
    this.#error ??= error;
    this.#ending.abort();
  }

  /** The run continues without creates; unless something stops it later, the error says why it is incomplete. */
  stopCreates(error: RecPushError): void {
    this.#createsError ??= error;
  }

  leaveRows(): void {
    this.#hasLeftRows = true;
  }

  /** To be awaited before each request, if there is anything to wait for; the run may have ended then. */
  beforeRequest(kind: RecordKind): Promise<void> | undefined {
    return this.options.beforeRequest?.(kind).catch((error: unknown) => this.stop(error));
  }

  /** Whether the first byte of a request may be written now. If not, the run has ended. */
  mayBegin(): boolean {
    try {
      this.options.beforeFirstByte?.();
      return true;
    } catch (error) {
      this.stop(error);
      return false;
    }
  }

  /** The token for a request that is about to be sent; `undefined` if none can be had, and the run has ended. */
  async takeToken(tokens: Tokens): Promise<string | undefined> {
    const found = await Promise.race([tokens.take(), this.#hasEnding]);
    if (!(found instanceof RecPushError)) return found;
    this.stop(found);
    return undefined;
  }

  /** Pauses all requests; stops the run once the pauses add up to more than it may wait. */
  wait(waiting: Waiting): void {
    const { forMs, why } = waiting;
    const { traffic, settings } = this.state;
    const addedMs = traffic.pace.pause(forMs);
    this.#waitedMs += addedMs;
    if (this.#waitedMs > settings.maxWaitMs) this.stop(waitedTooLong(this.#waitedMs, why));
    else if (addedMs > 0) this.options.onWaiting?.(waiting);
  }

  /** Reports an outcome and learns from it. */
  async settle(settled: Settled): Promise<void> {
    const { learnt, streaks } = this.state;
    const { kind, outcome, records } = settled;
    try {
      await this.options.onSettled(settled);
    } catch (error) {
      this.stop(error);
    }
    if (kind === "create" && outcome === "accepted" && !learnt.areCreatesProven) {
      learnt.areCreatesProven = true;
      this.onCreatesFreed();
    }
    if (kind === "create" && outcome === "inDoubt") learnt.areCreatesProven = false;
    if (kind === "update" && outcome === "failed") this.#hold(records, Infinity);
    const failure = streaks.note(settled);
    if (failure !== undefined) this.stop(failure);
  }

  /**
   * Holds back later rows with the keys of these updates for a while: a request with them was sent at `sentMs` and given
   * up, and may still be applied.
   */
  holdLate(records: RecordList, sentMs: number): void {
    this.#hold(records, sentMs + this.state.settings.lateMs);
  }

  #hold(records: RecordList, untilMs: number): void {
    const { heldKeys, clock } = this.state;
    if (!heldKeys.hold(records, untilMs, clock.now())) this.stop(tooManyHeld());
  }

  /** Removes the listeners from the signals. */
  close(): void {
    this.#listening.abort();
  }

  #obey(signal: AbortSignal, act: () => void): void {
    if (signal.aborted) act();
    else signal.addEventListener("abort", act, { once: true, signal: this.#listening.signal });
  }
}

function waitedTooLong(ms: number, why: string): RecPushError {
  const minutes = ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`;
  return new RecPushError("waited-too-long", `the service asks to wait ${minutes} in total: ${why}`, {
    hint: "run the same command later, or let it wait longer with --max-wait",
  });
}

function tooManyHeld(): RecPushError {
  return new RecPushError("keeps-failing", `more than ${MAX_HELD_KEYS} updates failed or were given up`, {
    hint: "check the service",
  });
}

/** A pause of all requests. */
interface Waiting {
  readonly forMs: number;
  readonly why: string;
  /** True if the service said how long. */
  readonly isAsked: boolean;
}

/** Signals that control the sending of one input, and its callbacks. */
export interface SendOptions {
  /** When set, no new batch and no retry is sent; requests in flight finish. */
  readonly drain: AbortSignal;
  /** When set, requests in flight are cut off. */
  readonly abort: AbortSignal;
  /**
   * Awaited before creates are sent for the first time, with exactly the records of the request (a half announces
   * itself again), and their texts as they are about to be sent, separated by commas. If it throws, the run stops and
   * the request is not sent. Records that were announced, but are not settled when sending has ended, were certainly not
   * applied.
   */
  readonly beforeCreate?: (batch: Batch, texts: Buffer) => Promise<void>;
  /** Awaited before each request, repeated ones included. If it throws, the run stops and the request is not sent. */
  readonly beforeRequest?: (kind: RecordKind) => Promise<void>;
  /** Called right before the first byte of each request. If it throws, the run stops and the request is not sent. */
  readonly beforeFirstByte?: () => void;
  /**
   * Awaited with every outcome before anything relies on it; a record that is never settled was not sent. If it
   * throws, the run stops.
   */
  readonly onSettled: (settled: Settled) => Promise<void>;
  /** The number of the first batch; 1 by default. */
  readonly firstBatch?: number;
  /** The age of updates that an earlier command gave up: they may still be applied, over the values of this input. */
  readonly givenUpAgoMs?: number | undefined;
  /** An update that was sent `agoMs` ago is given up without an answer and may still be applied; it may be tried again. */
  readonly onGivenUp?: (agoMs: number) => void;
  /** True if no two records have the same key, so that none of them has to wait for another. */
  readonly hasDistinctKeys?: boolean;
  /** The service asks for a pause of `forMs`, which holds for all requests. */
  readonly onWaiting?: (waiting: Waiting) => void;
}

/** How sending one input ended. */
export interface SendEnd {
  /**
   * The reason why it stopped; `undefined`: every record was sent, except those held back. Records that were never
   * settled were not sent.
   */
  readonly failure: RecPushError | undefined;
}
