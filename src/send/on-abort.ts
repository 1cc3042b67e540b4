type Callback = () => void;

/**
 * Arrays, because a set that is used for long keeps what it held: V8 copies a set whenever a few entries have come and
 * gone, each copy leads to the next one, and once one is in the old generation, all that follow outlive every
 * collection but a full one, with the requests in them.
 */
const callbacks = new WeakMap<AbortSignal, Callback[]>();

/**
 * Calls `callback` once the signal is set; returns what takes it back. A signal has one listener for all of them: one
 * for each request costs as much as a timer.
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const known = callbacks.get(signal) ?? listen(signal);
  known.push(callback);
  return () => {
    const at = known.indexOf(callback);
    if (at >= 0) known.splice(at, 1);
  };
}

function listen(signal: AbortSignal): Callback[] {
  const waiting: Callback[] = [];
  callbacks.set(signal, waiting);
  signal.addEventListener(
    "abort",
    () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    },
    { once: true },
  );
  return waiting;
}
