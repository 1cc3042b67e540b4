import { createContext, Script } from "node:vm";
import { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/text.ts";

/** A pattern that is being matched, for the error message. */
interface Match {
  readonly field: string;
  readonly form: RegExp;
  readonly pattern: string;
  readonly value: string;
}

/** The longest that matching the values of one chunk may take; a chunk normally takes milliseconds. */
const MAX_CHUNK_MS = 5000;

let last: Match | undefined;
/** Made when first needed: Node's way to stop a regular expression that does not end. */
let box: { readonly context: { work: () => unknown }; readonly script: Script } | undefined;

/** Tests a value within {@link boundMatching}. */
export function matches(match: Match): boolean {
  last = match;
  return match.form.test(match.value);
}

/**
 * Runs work that matches values with the user's patterns, some of which may take exponential time. Throws a usage error
 * if that does not end in time.
 */
export function boundMatching<T>(work: () => T, maxMs = MAX_CHUNK_MS): T {
  const context = { work };
  box ??= { context: createContext(context) as typeof context, script: new Script("work()") };
  box.context.work = work;
  last = undefined;
  try {
    return box.script.runInContext(box.context, { timeout: maxMs }) as T;
  } catch (error) {
    const isLate = (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    throw isLate && last !== undefined ? endless(last, maxMs) : error;
  } finally {
    box.context.work = () => undefined;
  }
}

function endless({ field, pattern, value }: Match, maxMs: number): RecPushError {
  const message = `field ${field}: matching ${quoteText(value)} with the pattern ${quoteText(pattern)} does not end within ${maxMs / 1000} s`;
  return new RecPushError("usage", "endless-pattern", message, {
    hint: "write the pattern without a repeat inside a repeat, such as (a+)+, and without two repeats of the same characters in a row; if this machine was held up, run the same command again",
  });
}
