import type { Answer } from "./answer.ts";
import { toOneLine } from "./one-line.ts";

/** The one success that is specified. */
export const OK_MSG = "Update Items OK.";

/** Stands for the number of records of the request in the text of `--ok-msg`. */
const COUNT = "{n}";

/**
 * True for 200 with nothing but a `msg` that is the specified one, or as a whole one that the user names: `9 items
 * updated.` is `{n} items updated.` for nine records.
 */
export function isSuccess(
  { status, msg, text }: Answer,
  records: number,
  okMessages: readonly string[],
): boolean {
  if (status !== 200 || msg === undefined || text !== "") return false;
  return msg === OK_MSG || okMessages.some((one) => one.replaceAll(COUNT, String(records)) === msg);
}

/**
 * The text of `--ok-msg` that accepts this answer; `undefined` if there is none, or if the answer cannot be shown as it is:
 * nobody should accept what they have not read.
 */
export function okMessageFor(
  { msg, text }: Answer,
  records: number,
  redact: (text: string) => string,
): string | undefined {
  if (msg === undefined || text !== "" || msg.includes(COUNT) || toOneLine(redact(msg)) !== msg)
    return undefined;
  return msg.replaceAll(new RegExp(`(?<![\\w.,])${records}(?!\\w|[.,]\\d)`, "g"), COUNT);
}
