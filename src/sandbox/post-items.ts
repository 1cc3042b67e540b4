import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import type { SandboxContext } from "./context.ts";
import { faultAnswer } from "./fault-answer.ts";
import type { FaultRequest } from "./fault-cause.ts";
import type { FaultRule } from "./faults.ts";
import { kindOf, parseBatch, type ParsedBatch } from "./parse-batch.ts";
import { readBody } from "./read-body.ts";
import { answerMsg, type Answer, type Reply } from "./reply.ts";
import { specified } from "./specified.ts";
import { bearerOf, hasToken } from "./token.ts";

/** The result of a request that carried records. */
export interface Posted {
  readonly reply: Reply;
  readonly records: number;
  readonly applied: number;
  /** The text of the fault that struck. */
  readonly fault: string | undefined;
}

/**
 * `POST /api/items/{table}/`, or its path for OAuth: token, table, content type and body are checked in this order,
 * then the faults, then the database version and the records.
 */
export async function postItems(
  context: SandboxContext,
  request: IncomingMessage,
  { table, isOAuth }: { readonly table: string; readonly isOAuth: boolean },
  query: URLSearchParams,
): Promise<Posted> {
  const refusal = refuseHead(context, request.headers, table, isOAuth);
  if (refusal !== undefined) return { reply: refusal, records: 0, applied: 0, fault: undefined };
  const body = await readBody(request, context.bodyLimitBytes);
  if (body.kind === "answer") return { reply: body, records: 0, applied: 0, fault: undefined };
  const batch = parseBatch(body.text);
  const { records } = batch;
  const posted = { table, kind: kindOf(records), text: body.text, bytes: body.bytes, records };
  const refused = refuseBatch(context, request.headers, query, batch);
  const { latencyMs, rule } = context.faults.strike(posted);
  if (latencyMs > 0) await wait(latencyMs, undefined, { signal: context.stopped });
  const meant = rule?.effect === undefined ? Infinity : countAppliedFirst(context, rule, posted);
  const isRefused = refused !== undefined && meant > 0;
  // After closing, the data directory may already belong to another sandbox.
  context.stopped.throwIfAborted();
  const key = request.headers["idempotency-key"];
  const known = typeof key === "string" ? context.keys?.answerTo(key, body.text) : undefined;
  if (known !== undefined)
    return {
      reply: replyAgain(context, rule, posted, known),
      records: records.length,
      applied: 0,
      fault: rule?.text,
    };
  const part = records.slice(0, isRefused ? refused.appliedFirst : meant);
  context.store.apply(table, part);
  const reply = isRefused ? refused.answer : replyOf(context, rule, posted);
  if (typeof key === "string" && part.length === records.length)
    context.keys?.remember(key, body.text, isRefused ? refused.answer : allApplied(undefined));
  return { reply, records: records.length, applied: part.length, fault: rule?.text };
}

function refuseHead(
  context: SandboxContext,
  headers: IncomingHttpHeaders,
  table: string,
  isOAuth: boolean,
): Answer | undefined {
  const { clientTokens, token } = context;
  if (isOAuth ? clientTokens?.takes(bearerOf(headers)) !== true : !hasToken(headers, token))
    return answerMsg(specified.invalidToken.status, specified.invalidToken.msg);
  if (context.tables !== undefined && !context.tables.includes(table)) {
    return answerMsg(404, `There is no table ${JSON.stringify(table)}.`);
  }
  if (/^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?$/i.test(headers["content-type"] ?? ""))
    return undefined;
  return answerMsg(415, "The content-type must be application/json (UTF-8).");
}

function refuseBatch(
  context: SandboxContext,
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
  batch: ParsedBatch,
): { readonly answer: Answer; readonly appliedFirst: number } | undefined {
  const version = [headers["database_version"], query.get("database_version"), batch.databaseVersion];
  const given = version.filter((one) => one !== undefined && one !== null && one !== "");
  const known: readonly unknown[] | undefined = context.databaseVersions;
  const { versionMissing, versionInvalid } = specified;
  if (known !== undefined && given.length === 0) {
    return { answer: answerMsg(versionMissing.status, versionMissing.msg), appliedFirst: 0 };
  }
  if (known !== undefined && !given.every((one) => known.includes(one))) {
    return { answer: answerMsg(versionInvalid.status, versionInvalid.msg), appliedFirst: 0 };
  }
  if (batch.problem === undefined) return undefined;
  return { answer: answerMsg(400, batch.problem), appliedFirst: context.isAtomic ? 0 : Infinity };
}

function countAppliedFirst(context: SandboxContext, rule: FaultRule, posted: FaultRequest): number {
  const { cause } = rule;
  if (rule.appliedFirst > 0 || context.isAtomic || cause?.kind !== "refuse") return rule.appliedFirst;
  return posted.records.findIndex((record) => record[cause.field] === cause.value);
}

/** The answer given the first time, unless the request meets a fault of its own. */
function replyAgain(
  context: SandboxContext,
  rule: FaultRule | undefined,
  posted: FaultRequest,
  known: Answer,
): Reply {
  return rule?.effect === undefined ? known : replyOf(context, rule, posted);
}

function allApplied(msg: string | undefined): Answer {
  return answerMsg(specified.ok.status, msg ?? specified.ok.msg);
}

function replyOf(context: SandboxContext, rule: FaultRule | undefined, posted: FaultRequest): Reply {
  const effect = rule?.effect;
  if (rule !== undefined && effect?.kind === "answer")
    return faultAnswer(rule, effect, posted, context.nowMs());
  if (effect?.kind === "drop" || effect?.kind === "hang") return { kind: effect.kind };
  const ok = allApplied(rule?.msg);
  if (effect?.kind === "drop-midway") return { kind: "drop-midway", answer: ok };
  return { ...ok, slowBodyMs: rule?.slowBodyMs ?? 0 };
}
