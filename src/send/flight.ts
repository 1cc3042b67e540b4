import type { MadeBatch } from "./batch.ts";
import { KeyOrder, type OrderedBatch } from "./key-order.ts";
import type { SendRun } from "./send-run.ts";
import { settleBatch } from "./settle-batch.ts";

/** Batches made in advance, so that one that waits for a key does not hold up those after it. */
const MAX_WAITING = 8;

interface WaitingBatch {
  readonly batch: MadeBatch;
  readonly place: OrderedBatch;
}

/** Starts each batch as soon as concurrency, the order of keys and the rules for creates allow it. */
export class Flight {
  readonly #run: SendRun;
  readonly #order = new KeyOrder();
  readonly #waiting: WaitingBatch[] = [];
  #inFlight = 0;
  #createsInFlight = 0;
  #isInputAtEnd = false;
  #isWaitingForLate = false;
  #wakers: (() => void)[] = [];

  constructor(run: SendRun) {
    this.#run = run;
    run.ending.addEventListener("abort", () => this.#wake(), { once: true });
    run.onCreatesFreed = () => {
      this.#launch();
      this.#wake();
    };
  }

  /** Accepts the next batch; resolves when there is room for another or the run has ended. */
  async enter(batch: MadeBatch): Promise<void> {
    this.#waiting.push({ batch, place: this.#order.enter(batch.records, batch.mayRepeatKeys) });
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

  /** Milliseconds until no request that was given up earlier can still land after this batch. */
  #lateMs({ kind, records }: MadeBatch): number {
    const { lateKeys, clock } = this.#run.state;
    return kind === "create" ? 0 : lateKeys.waitMs(records, clock.now());
  }

  async #launchIn(ms: number): Promise<void> {
    if (this.#isWaitingForLate) return;
    this.#isWaitingForLate = true;
    this.#run.tellLate(ms);
    await this.#run.state.clock.sleep(ms, this.#run.ending);
    this.#isWaitingForLate = false;
    this.#launch();
    this.#wake();
  }

  #mayLeave({ batch, place }: WaitingBatch): boolean {
    if (batch.kind === "update") return place.waitsFor === 0;
    const { learnt, traffic } = this.#run.state;
    return (
      this.#createsInFlight === 0 || (!learnt.areCreatesInTurn && this.#createsInFlight < traffic.createLimit)
    );
  }

  async #fly({ batch, place }: WaitingBatch): Promise<void> {
    this.#inFlight += 1;
    if (batch.kind === "create") this.#createsInFlight += 1;
    let isSettled = false;
    try {
      isSettled = await settleBatch(batch, this.#run);
    } catch (error) {
      this.#run.leaveRows();
      this.#run.stop(error);
    }
    this.#inFlight -= 1;
    if (batch.kind === "create") this.#createsInFlight -= 1;
    this.#order.settle(place);
    // Nobody looks at them any more.
    if (isSettled) batch.records.settle();
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
