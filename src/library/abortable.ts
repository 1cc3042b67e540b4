import { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import { inputError } from "../read/input-error.ts";

/**
 * The items of an iterable of the caller. Its errors become input errors with the caller's as cause, and a wait for the
 * next item ends with an interruption once the signal is set.
 */
export async function* abortable(
  items: AsyncIterable<unknown> | Iterable<unknown>,
  name: string,
  stop: AbortSignal,
): AsyncGenerator {
  let giveUp: (error: Error) => void = () => undefined;
  const onAbort = (): void => giveUp(interruption());
  const next = (): Promise<IteratorResult<unknown>> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      Promise.resolve(iterator.next()).then(resolve, reject);
    });
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let isDone = false;
  stop.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      if (stop.aborted) throw interruption();
      const result = await next();
      isDone = result.done === true;
      if (isDone) return;
      yield result.value;
    }
  } catch (cause) {
    throw cause instanceof RecPushError ? cause : ofCaller(cause, name);
  } finally {
    stop.removeEventListener("abort", onAbort);
    // Not awaited: one that hangs would hang here too.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** True for something to read items from. */
export function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  const isObject = typeof value === "object" && value !== null;
  return isObject && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function ofCaller(cause: unknown, name: string): RecPushError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return inputError({ file: name }, "not-readable", `it ended with an error: ${why}`, { cause });
}
