type Callback = () => void;

const callbacks = new WeakMap<AbortSignal, Set<Callback>>();

/**
 * Calls `callback` once the signal is set; returns what takes it back. A signal has one listener for all of them: one
 * for each request costs as much as a timer and ten times as much as an entry of a set.
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const known = callbacks.get(signal) ?? listen(signal);
  known.add(callback);
  return () => known.delete(callback);
}

function listen(signal: AbortSignal): Set<Callback> {
  const waiting = new Set<Callback>();
  callbacks.set(signal, waiting);
  signal.addEventListener(
    "abort",
    () => {
      for (const callback of waiting) callback();
      waiting.clear();
    },
    { once: true },
  );
  return waiting;
}
