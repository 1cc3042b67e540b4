import type { SummaryEvent } from "../model/told-event.ts";
import type { PushEvent, Run } from "./run.ts";

/** Does the work: tells events, gives what stopped it. Throws only faults. */
export type Work = (reader: EventQueue<PushEvent>, stop: AbortSignal) => Promise<RunResult>;

/** How the work ended. */
export interface RunResult {
  readonly summary: SummaryEvent;
  readonly failure: Error | undefined;
}

/** Makes a run of some work. The signal of the caller stops it in order, and so does a reader that leaves. */
export function makeRun(work: Work, signal: AbortSignal | undefined): Run {
  const stop = new AbortController();
  let queue: EventQueue<PushEvent> | undefined;
  let result: Promise<RunResult> | undefined;

  function begin(isRead: boolean): Promise<RunResult> {
    queue = new EventQueue(isRead);
    result = finish(queue, work, stop, signal);
    // Whoever asked gets it; it must not end the process beside that.
    result.catch(() => undefined);
    return result;
  }

  async function* events(): AsyncGenerator<PushEvent> {
    if (queue !== undefined) throw new TypeError("the events of a run are read once, and before its summary");
    const ended = begin(true);
    const reading = queue!;
    let isRead = false;
    try {
      for (;;) {
        const event = await reading.next();
        if (event === undefined) break;
        yield event;
      }
      isRead = true;
    } catch (failure) {
      isRead = true;
      throw failure;
    } finally {
      if (!isRead) {
        stop.abort();
        reading.leave();
        await ended.catch(() => undefined);
      }
    }
  }

  return {
    [Symbol.asyncIterator]: events,
    async summary() {
      queue?.unpace();
      const { summary, failure } = await (result ?? begin(false));
      if (failure !== undefined) throw failure;
      return summary;
    },
  };
}

async function finish(
  queue: EventQueue<PushEvent>,
  work: Work,
  stop: AbortController,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const abort = (): void => {
    // A reader that does not come must not keep requests from being settled.
    queue.unpace();
    stop.abort();
  };
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const result = await work(queue, stop.signal);
    queue.end(result.failure);
    return result;
  } catch (fault) {
    queue.end(fault);
    throw fault;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** From this many events on, a run waits for its reader. */
const MOST_WAITING = 1000;

/** Events on their way to a reader that takes them at its own pace. */
export class EventQueue<T> {
  #events: T[] = [];
  #at = 0;
  #isEnded = false;
  #failure: unknown;
  /** False once nobody waits for events: then none are kept. */
  #isRead: boolean;
  #isPaced = true;
  #wakeReader = (): void => undefined;
  #wakeWriter = (): void => undefined;

  constructor(isRead: boolean) {
    this.#isRead = isRead;
  }

  /** Adds an event, however many there are. */
  add(event: T): void {
    if (!this.#isRead) return;
    this.#events.push(event);
    this.#wakeReader();
  }

  /** Resolves once the reader is near; `undefined` if it is. */
  caughtUp(): Promise<void> | undefined {
    if (!this.#isFull()) return undefined;
    return new Promise((resolve) => (this.#wakeWriter = resolve));
  }

  /** Lets the writer go on from now on, whether or not the reader comes. */
  unpace(): void {
    this.#isPaced = false;
    this.#wakeWriter();
  }

  /** Nobody reads any further. */
  leave(): void {
    this.#isRead = false;
    this.#events = [];
    this.#at = 0;
    this.#wakeWriter();
  }

  /** No event follows; `failure` is thrown to the reader after the last one. */
  end(failure?: unknown): void {
    this.#isEnded = true;
    this.#failure = failure;
    this.#wakeReader();
  }

  /** The next event; `undefined` after the last one. Throws the failure once. */
  async next(): Promise<T | undefined> {
    while (this.#at === this.#events.length) {
      if (this.#isEnded) {
        const failure = this.#failure;
        this.#failure = undefined;
        if (failure !== undefined) throw failure;
        return undefined;
      }
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    const event = this.#events[this.#at++];
    if (this.#at === this.#events.length) {
      this.#events = [];
      this.#at = 0;
    }
    if (!this.#isFull()) this.#wakeWriter();
    return event;
  }

  #isFull(): boolean {
    return this.#isPaced && this.#isRead && this.#events.length - this.#at >= MOST_WAITING;
  }
}
