import { showText } from "../model/text.ts";
import type { ToldQuota } from "./limit/told-limit.ts";

/** The one success that is specified. */
export const OK_MSG = "Update Items OK.";

/** Stands for the number of records of the request in the text of `--ok-msg`. */
const COUNT = "{n}";

/**
 * True for 200 with a `msg` and no other member, if the `msg` is the specified text or one that the user names: `9 items
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
 * nobody should accept a text without reading it.
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

const MAX_LENGTH = 300;

/** A text from the service as one line of at most 300 characters, with control and invisible characters escaped. */
export function toOneLine(text: string): string {
  return showText(text.slice(0, MAX_LENGTH * 2).trim(), MAX_LENGTH);
}

/** The service's answer as data: any status is an answer. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  /** The `msg` of a JSON object, if it is a text; `undefined` for any other body. */
  readonly msg: string | undefined;
  /** The readable text of a body that is not just a `msg`; `""` if there is none. */
  readonly text: string;
  /** The header as it came. */
  readonly retryAfter: string | undefined;
  /** The header as it came. */
  readonly location: string | undefined;
  /** The request limits that its headers announce. */
  readonly quotas?: readonly ToldQuota[];
}

/** Longer bodies are not read to the end: no answer of the service comes near this length. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** An object whose only member is `msg`, given once. */
const ONLY_MSG = /^\s*\{\s*"msg"\s*:\s*"(?:[^"\\]|\\.)*"\s*\}\s*$/;

/** Bytes that are not UTF-8 become U+FFFD. */
const DECODER = new TextDecoder();

/**
 * Reads a body. Nothing of it is shown unless all of it was received (`isWhole`): the beginning of a secret could not be
 * recognised as one. Bytes that are not UTF-8 are no error.
 */
export function readBody(body: Buffer, isWhole: boolean): Pick<Answer, "msg" | "text"> {
  if (!isWhole) return { msg: undefined, text: "the answer was cut off, or is longer than 64 KiB" };
  const text = DECODER.decode(body);
  const msg = readMsg(text);
  return { msg, text: msg !== undefined && ONLY_MSG.test(text) ? "" : plainText(text) };
}

function readMsg(text: string): string | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { msg } = value as { readonly msg?: unknown };
  return typeof msg === "string" ? msg : undefined;
}

/** For the error pages of proxies: scripts, styles and tags are removed, and the rest becomes one line. */
function plainText(text: string): string {
  const isMarkup = /^\s*<[!?a-z]/i.test(text);
  const readable = isMarkup
    ? text.replace(/<(script|style)\b[^]*?(<\/\1\s*>|$)/gi, " ").replace(/<!--[^]*?(-->|$)|<[^>]*(>|$)/g, " ")
    : text;
  return readable.replace(/\s+/g, " ").trim();
}
