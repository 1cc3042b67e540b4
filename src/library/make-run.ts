import type { SummaryEvent } from "../model/told-event.ts";
import { EventQueue } from "./event-queue.ts";
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
