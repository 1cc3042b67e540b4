import type { StopSignal } from "../model/exit-code.ts";
import type { Io } from "./io.ts";

/** The two steps in which a user or a scheduler ends a run. */
export interface StopControl {
  /** Set by the first signal: no new batch and no retry is sent. */
  readonly drain: AbortSignal;
  /** Set when the grace period is over, or by the second signal: requests in flight are cut off. */
  readonly abort: AbortSignal;
  /** The first signal that has come. */
  readonly received: () => StopSignal | undefined;
  /** Stops listening. */
  readonly release: () => void;
}

/** Listens for stop signals; after the first, requests in flight get `graceMs`. */
export function listenForStop(io: Io, graceMs: number, onFirst: (signal: StopSignal) => void): StopControl {
  const drain = new AbortController();
  const abort = new AbortController();
  let first: StopSignal | undefined;
  let grace: NodeJS.Timeout | undefined;
  const remove = io.onSignal((signal) => {
    if (first !== undefined) {
      abort.abort();
      return;
    }
    first = signal;
    onFirst(signal);
    drain.abort();
    grace = setTimeout(() => abort.abort(), graceMs);
  });
  return {
    drain: drain.signal,
    abort: abort.signal,
    received: () => first,
    release() {
      remove();
      clearTimeout(grace);
    },
  };
}
