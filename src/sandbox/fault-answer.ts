import { STATUS_CODES } from "node:http";

import type { FaultRequest } from "./fault-cause.ts";
import type { FaultCause, FaultEffect, FaultRule, RetryAfter } from "./faults.ts";
import { answerMsg, type Answer } from "./reply.ts";
import { specified } from "./specified.ts";

/** The answer that a rule gives in place of the normal one. */
export function faultAnswer(
  rule: FaultRule,
  effect: Extract<FaultEffect, { kind: "answer" }>,
  request: FaultRequest,
  nowMs: number,
): Answer {
  const status = effect.status ?? causeStatus(rule.cause) ?? (effect.location === undefined ? 200 : 302);
  const msg = rule.msg ?? causeMsg(rule.cause, request) ?? usualMsg(status);
  const headers: Record<string, string> = {};
  if (effect.location !== undefined) headers["location"] = effect.location;
  const retryAfter = effect.retryAfter ?? usualWait(rule.cause);
  if (retryAfter !== undefined) headers["retry-after"] = retryAfterValue(retryAfter, nowMs);
  const answer = { ...answerMsg(status, msg, headers), slowBodyMs: rule.slowBodyMs };
  if (effect.body === "empty") return { ...answer, body: "" };
  if (effect.body === "html")
    return { ...answer, contentType: "text/html; charset=utf-8", body: htmlPage(status, msg) };
  return answer;
}

function causeStatus(cause: FaultCause | undefined): number | undefined {
  switch (cause?.kind) {
    case undefined:
      return undefined;
    case "rate":
      return 429;
    case "body-limit":
      return 413;
    case "token-life":
      return 401;
    case "refuse":
      return 400;
  }
}

function causeMsg(cause: FaultCause | undefined, request: FaultRequest): string | undefined {
  switch (cause?.kind) {
    case undefined:
      return undefined;
    case "rate":
      return "Too many requests.";
    case "body-limit":
      return `The body is larger than ${cause.bytes} bytes.`;
    case "token-life":
      return specified.invalidToken.msg;
    case "refuse": {
      const index = request.records.findIndex((record) => record[cause.field] === cause.value);
      return `Record ${index + 1}, field ${JSON.stringify(cause.field)}: the value ${JSON.stringify(cause.value)} is refused.`;
    }
  }
}

function usualMsg(status: number): string {
  const row = Object.values(specified).find((candidate) => candidate.status === status);
  return status === 400 || row === undefined ? `${STATUS_CODES[status] ?? `Status ${status}`}.` : row.msg;
}

function usualWait(cause: FaultCause | undefined): RetryAfter | undefined {
  if (cause?.kind !== "rate") return undefined;
  return { seconds: Math.max(1, Math.ceil(1 / cause.perSecond)), asDate: false };
}

function retryAfterValue({ seconds, asDate }: RetryAfter, nowMs: number): string {
  return asDate ? new Date(nowMs + seconds * 1000).toUTCString() : String(seconds);
}

function htmlPage(status: number, msg: string): string {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const text = msg.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html>\n<html><head><title>${title}</title></head>\n<body><h1>${title}</h1><p>${text}</p></body></html>\n`;
}
