import { STATUS_CODES } from "node:http";
import type { Answer } from "./answer.ts";
import { toOneLine } from "./one-line.ts";
import type { TransportFault } from "./transport-fault.ts";

/** The service's `msg`, or a description of what came instead: one line, without secrets. */
export function describeEnd(end: Answer | TransportFault, redact: (text: string) => string): string {
  if (end.kind === "fault") {
    return end.detail === undefined ? end.message : toOneLine(`${end.message}: ${redact(end.detail)}`);
  }
  // Beside a success, other members may say what was not applied.
  const isTold = end.msg !== undefined && (end.text === "" || end.status < 200 || end.status >= 300);
  if (isTold) return toOneLine(redact(end.msg));
  const text = toOneLine(redact(end.text));
  if (end.msg !== undefined) return text;
  const name = STATUS_CODES[end.status];
  const what = name === undefined ? "an answer without msg" : `${name}, without msg`;
  return text === "" ? what : `${what}: ${text}`;
}
