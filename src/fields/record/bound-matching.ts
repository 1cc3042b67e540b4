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
const MAX_VALUE_MS = 500;

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
 * if a pattern takes too long, and a machine error if the process was held up in the meantime.
 */
export function boundMatching<T>(work: () => T, maxMs = MAX_CHUNK_MS): T {
  const inTime = runFor(work, maxMs);
  if (inTime !== undefined) return inTime.result;
  const match = last;
  if (match === undefined || runFor(() => match.form.test(match.value), MAX_VALUE_MS) !== undefined) {
    throw new RecPushError(
      "machine",
      "held-up",
      "this process was held up while it matched values with a pattern",
      {
        hint: "run the same command again",
      },
    );
  }
  const { field, pattern, value } = match;
  throw new RecPushError(
    "usage",
    "endless-pattern",
    `field ${field}: matching ${quoteText(value)} with the pattern ${quoteText(pattern)} does not end`,
    {
      hint: "write the pattern without a repeat inside a repeat, such as (a+)+, and without two repeats of the same characters in a row",
    },
  );
}

/** The result of the work; `undefined` if it was stopped because it took longer. */
function runFor<T>(work: () => T, maxMs: number): { readonly result: T } | undefined {
  const context = { work };
  box ??= { context: createContext(context) as typeof context, script: new Script("work()") };
  box.context.work = work;
  try {
    return { result: box.script.runInContext(box.context, { timeout: maxMs }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    box.context.work = () => undefined;
  }
}
