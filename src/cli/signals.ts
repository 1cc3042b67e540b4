import type { StopSignal } from "../model/exit-code.ts";
import type { Io } from "./io.ts";

/** The two steps in which a person or a scheduler ends a run. */
export interface StopControl {
  /** Set by the first signal: no new batch, no retry. */
  readonly drain: AbortSignal;
  /** Set when the grace is over, or by the second signal: requests in flight are cut. */
  readonly abort: AbortSignal;
  /** The first signal that came. */
  readonly received: () => StopSignal | undefined;
  /** Ends listening. */
  readonly release: () => void;
}

/** Listens for stop signals; requests in flight get `graceMs` after the first. */
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
