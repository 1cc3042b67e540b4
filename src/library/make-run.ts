import { Readable } from "node:stream";
import type { SummaryEvent } from "../model/event.ts";
import type { PushEvent, Run } from "./api.ts";

/** Gets the events of the work, at the pace of the caller. */
interface EventReader {
  /** Adds an event, however many there are. */
  readonly add: (event: PushEvent) => void;
  /** Resolves once the caller is near; `undefined` if it is. */
  readonly caughtUp: () => Promise<void> | undefined;
}

/** Does the work: tells events, returns how it ended, throws what stopped it. */
export type Work = (reader: EventReader, stop: AbortSignal) => Promise<SummaryEvent>;

/** From this many events on, a run waits for its reader. */
const MOST_WAITING = 1000;

/** Makes a run of some work. The signal of the caller stops it in order, and so does a reader that leaves. */
export function makeRun(work: Work, signal: AbortSignal | undefined): Run {
  const stop = new AbortController();
  let result: Promise<SummaryEvent> | undefined;
  /** Where only the summary is asked for, no event is kept. */
  let events: Readable | undefined;
  let isPaced = true;
  let goOn = (): void => undefined;

  const reader: EventReader = {
    add: (event) => void events?.push(event),
    caughtUp() {
      if (!isPaced || events === undefined || events.readableLength < MOST_WAITING) return undefined;
      return new Promise((resolve) => (goOn = resolve));
    },
  };

  function unpace(): void {
    isPaced = false;
    goOn();
  }

  function end(): void {
    // A reader that stays away must not keep requests from being settled.
    unpace();
    stop.abort();
  }

  function begin(): Promise<SummaryEvent> {
    if (signal?.aborted === true) end();
    signal?.addEventListener("abort", end, { once: true });
    result = work(reader, stop.signal).finally(() => {
      signal?.removeEventListener("abort", end);
      events?.push(null);
    });
    // The caller that asked gets the error; it must not end the process as well.
    result.catch(() => undefined);
    return result;
  }

  return {
    async *[Symbol.asyncIterator]() {
      if (result !== undefined)
        throw new TypeError("the events of a run are read once, and before its summary");
      events = new Readable({ objectMode: true, highWaterMark: MOST_WAITING, read: () => goOn() });
      const ended = begin();
      try {
        yield* events as AsyncIterable<PushEvent>;
      } finally {
        end();
        await ended.catch(() => undefined);
      }
      await ended;
    },
    summary() {
      unpace();
      return result ?? begin();
    },
  };
}
