import type { Batch, RecordList } from "../model/settlement.ts";
import { type BatchOptions, batchRecords } from "./batch.ts";
import { type SendEnd, type SendOptions, SendRun } from "./send-run.ts";
import { createService, envelopeBytes } from "./service.ts";
import { HeldKeys, type SessionState, Streaks } from "./session-state.ts";
import { type Clock, type SendSettings, systemClock } from "./settings.ts";
import { settleBatch } from "./settle-batch.ts";
import type { Target } from "./target.ts";
import { Tokens } from "./tokens.ts";
import { Traffic } from "./traffic.ts";

/**
 * The way to one target, for all inputs of a command: connections, pace and learnt limits are kept from one input to the
 * next.
 */
export interface SendSession {
  /** Sends the records of one input, chunks in file order; one input after the other. */
  send(records: AsyncIterable<RecordList>, options: SendOptions): Promise<SendEnd>;
  /** Closes all connections. */
  close(): Promise<void>;
}

interface SendSessionOptions {
  readonly target: Target;
  readonly settings: SendSettings;
  /** True if the service has accepted creates of this table before. */
  readonly areCreatesProven?: boolean;
  readonly clock?: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random?: () => number;
}

/** Opens no connection before the first batch. */
export function createSendSession({
  target,
  settings,
  areCreatesProven = false,
  clock = systemClock,
  random = Math.random,
}: SendSessionOptions): SendSession {
  const { maxFailed, batchBytes } = settings;
  const state: SessionState = {
    target,
    settings,
    clock,
    random,
    tokens: target.client && new Tokens({ target, settings, clock, random }, target.client),
    service: createService(target, settings),
    traffic: new Traffic(settings, clock),
    learnt: { maxBytes: batchBytes, hasReached: false, areCreatesProven },
    streaks: new Streaks(maxFailed),
    heldKeys: new HeldKeys(),
  };
  return {
    send: (records, options) => sendRecords(records, options, state),
    close: async () => {
      await Promise.all([state.tokens?.close(), state.service.close()]);
    },
  };
}

/**
 * Sends the records of one input; resolves when nothing is in flight and nothing more will be. Throws only for a
 * defect of rec-push, or what `records` throws other than its own failures.
 */
export async function sendRecords(
  records: AsyncIterable<RecordList>,
  options: SendOptions,
  state: SessionState,
): Promise<SendEnd> {
  const run = new SendRun(state, options);
  const { hasDistinctKeys = false, firstBatch = 1 } = options;
  const flight = new Flight(run, hasDistinctKeys);
  // An earlier command gave up updates with unknown keys.
  const { givenUpAgoMs } = options;
  if (givenUpAgoMs !== undefined)
    state.heldKeys.holdAll(state.clock.now() + state.settings.lateMs - givenUpAgoMs);
  void feed(records, run, flight, { hasDistinctKeys, firstNumber: firstBatch });
  try {
    await flight.finished();
  } finally {
    run.close();
  }
  return { failure: run.failure };
}

/** Reads on as long as there is room; an error of the source stops the run. */
async function feed(
  records: AsyncIterable<RecordList>,
  run: SendRun,
  flight: Flight,
  how: BatchOptions,
): Promise<void> {
  const { settings, target, learnt } = run.state;
  const limits = {
    maxRecords: settings.batchSize,
    get maxBytes() {
      return learnt.maxBytes;
    },
    envelopeBytes: envelopeBytes(target.envelope),
  };
  try {
    for await (const batch of batchRecords(records, limits, how)) {
      if (run.hasEnded) return;
      await flight.enter(batch);
    }
    flight.endOfInput();
  } catch (error) {
    run.stop(error);
  }
}

/** The place of one batch among those that are not settled yet. */
interface OrderedBatch {
  readonly records: RecordList;
  /** Number of earlier unsettled batches that hold one of its keys. */
  waitsFor: number;
  /** Later batches that wait for this one. */
  readonly followers: Set<OrderedBatch>;
}

/**
 * Keeps rows with the same key in order across batches in flight: a batch may be sent once no earlier unsettled batch
 * holds one of its keys. Stores the keys of unsettled batches only, and none at all if none repeats.
 */
class KeyOrder {
  /** For each key, the last unsettled batch that holds it; `undefined` if no key repeats. */
  readonly #holders: Map<string, OrderedBatch> | undefined;

  constructor(hasDistinctKeys: boolean) {
    this.#holders = hasDistinctKeys ? undefined : new Map();
  }

  /** Adds a batch; to be called in the order in which batches are made. A batch holds a key at most once. */
  enter(records: RecordList): OrderedBatch {
    const batch: OrderedBatch = { records, waitsFor: 0, followers: new Set() };
    if (this.#holders === undefined) return batch;
    for (const { key } of records) {
      if (key === undefined) continue;
      const holder = this.#holders.get(key);
      if (holder !== undefined && !holder.followers.has(batch)) {
        holder.followers.add(batch);
        batch.waitsFor += 1;
      }
      this.#holders.set(key, batch);
    }
    return batch;
  }

  /** Releases the batch's keys. */
  settle(batch: OrderedBatch): void {
    if (this.#holders === undefined) return;
    for (const { key } of batch.records) {
      if (key !== undefined && this.#holders.get(key) === batch) this.#holders.delete(key);
    }
    for (const follower of batch.followers) follower.waitsFor -= 1;
    batch.followers.clear();
  }
}

/** Batches made in advance, so that one that waits for a key does not hold up those after it. */
const MAX_WAITING = 8;

interface WaitingBatch {
  readonly batch: Batch;
  readonly place: OrderedBatch;
}

/** Starts each batch as soon as concurrency, the order of keys and the rules for creates allow it. */
class Flight {
  readonly #run: SendRun;
  readonly #order: KeyOrder;
  readonly #waiting: WaitingBatch[] = [];
  #inFlight = 0;
  #createsInFlight = 0;
  #isInputAtEnd = false;
  #isWaitingForLate = false;
  #wakers: (() => void)[] = [];

  constructor(run: SendRun, hasDistinctKeys: boolean) {
    this.#run = run;
    this.#order = new KeyOrder(hasDistinctKeys);
    run.ending.addEventListener("abort", () => this.#wake(), { once: true });
    run.onCreatesFreed = () => {
      this.#launch();
      this.#wake();
    };
  }

  /** Accepts the next batch; resolves when there is room for another or the run has ended. */
  async enter(batch: Batch): Promise<void> {
    this.#waiting.push({ batch, place: this.#order.enter(batch.records) });
    this.#launch();
    while (this.#waiting.length >= MAX_WAITING && !this.#run.hasEnded) await this.#change();
  }

  endOfInput(): void {
    this.#isInputAtEnd = true;
    this.#wake();
  }

  /** Resolves when nothing is in flight and nothing more will be. It does not wait for an input that has stalled. */
  async finished(): Promise<void> {
    while (!this.#isFinished()) await this.#change();
    if (this.#waiting.length > 0 || !this.#isInputAtEnd) this.#run.leaveRows();
  }

  #isFinished(): boolean {
    if (this.#inFlight > 0) return false;
    return this.#run.hasEnded || (this.#isInputAtEnd && this.#waiting.length === 0);
  }

  #launch(): void {
    const { traffic } = this.#run.state;
    let lateMs = Infinity;
    for (let i = 0; i < this.#waiting.length && this.#inFlight < traffic.limit && !this.#run.hasEnded;) {
      const next = this.#waiting[i] as WaitingBatch;
      const waitMs = this.#mayLeave(next) ? this.#lateMs(next.batch) : Infinity;
      if (waitMs === 0) {
        this.#waiting.splice(i, 1);
        void this.#fly(next);
      } else {
        lateMs = Math.min(lateMs, waitMs);
        i += 1;
      }
    }
    if (lateMs < Infinity) void this.#launchIn(lateMs);
  }

  /** Milliseconds until no request that was given up earlier can be applied after this batch. */
  #lateMs({ kind, records }: Batch): number {
    const { heldKeys, clock } = this.#run.state;
    return kind === "create" ? 0 : heldKeys.waitMs(records, clock.now());
  }

  async #launchIn(ms: number): Promise<void> {
    if (this.#isWaitingForLate) return;
    this.#isWaitingForLate = true;
    const why = "an update that got no answer may still be applied (--late)";
    this.#run.options.onWaiting?.({ forMs: ms, why, isAsked: false });
    await this.#run.state.clock.sleep(ms, this.#run.ending);
    this.#isWaitingForLate = false;
    this.#launch();
    this.#wake();
  }

  #mayLeave({ batch, place }: WaitingBatch): boolean {
    if (batch.kind === "update") return place.waitsFor === 0;
    const { learnt, traffic } = this.#run.state;
    return (
      this.#createsInFlight === 0 || (learnt.areCreatesProven && this.#createsInFlight < traffic.createLimit)
    );
  }

  async #fly({ batch, place }: WaitingBatch): Promise<void> {
    this.#inFlight += 1;
    if (batch.kind === "create") this.#createsInFlight += 1;
    try {
      await settleBatch(batch, this.#run);
    } catch (error) {
      this.#run.leaveRows();
      this.#run.stop(error);
    }
    this.#inFlight -= 1;
    if (batch.kind === "create") this.#createsInFlight -= 1;
    this.#order.settle(place);
    this.#launch();
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakers.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}
