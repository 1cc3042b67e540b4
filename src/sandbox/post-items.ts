import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { SandboxContext } from "./context.ts";
import type { FaultRule } from "./fault-rules.ts";
import { faultAnswer, type FaultRequest } from "./fault-set.ts";
import { bearerOf, hasToken } from "./oauth.ts";
import { type Answer, answerMsg, type Reply, specified } from "./reply.ts";
import { hasKey, type SandboxRecord } from "./store.ts";

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
  const { latencyMs, honoursKeys, rule } = context.faults.strike(posted);
  if (latencyMs > 0) await wait(latencyMs, undefined, { signal: context.stopped });
  const meant = rule?.effect === undefined ? Infinity : countAppliedFirst(context, rule, posted);
  const isRefused = refused !== undefined && meant > 0;
  context.stopped.throwIfAborted();
  const header = honoursKeys ? request.headers["idempotency-key"] : undefined;
  const key = typeof header === "string" ? header : undefined;
  const known = key === undefined ? undefined : context.keys.answerTo(key, body.text);
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
  if (key !== undefined && part.length === records.length)
    context.keys.remember(key, body.text, isRefused ? refused.answer : allApplied(undefined));
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

/** A parsed request body. */
export interface ParsedBatch {
  /** The records before the first bad one; all of them if `problem` is undefined. */
  readonly records: readonly SandboxRecord[];
  /** The fault of the body, in one sentence that names the record (counted from 1). */
  readonly problem: string | undefined;
  /** The member `database_version` of a body with `data`. */
  readonly databaseVersion: unknown;
}

/** Reads `[{...}]` or `{"data":[{...}]}`: flat objects whose values are all strings. Never throws. */
export function parseBatch(text: string): ParsedBatch {
  if (isNestedDeeply(text)) return refused(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return refused(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Array.isArray(body)) return checkRecords(body, undefined);
  if (!isObject(body)) return refused(`The body is ${nameOf(body)}; it must be an array of records.`);
  if (!Object.hasOwn(body, "data")) {
    return refused('The body is an object without "data"; send an array of records, or {"data":[...]}.');
  }
  const data = body["data"];
  if (!Array.isArray(data)) return refused(`"data" is ${nameOf(data)}; it must be an array of records.`);
  return checkRecords(data, body["database_version"]);
}

/** Deeper than any record, and far below what slows a parser down. */
const MAX_DEPTH = 100;

function isNestedDeeply(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** `create` if at least one record has no `cle`; undefined for a batch without records. */
export function kindOf(records: readonly SandboxRecord[]): "create" | "update" | undefined {
  if (records.length === 0) return undefined;
  return records.every(hasKey) ? "update" : "create";
}

function refused(problem: string): ParsedBatch {
  return { records: [], problem, databaseVersion: undefined };
}

function checkRecords(data: readonly unknown[], databaseVersion: unknown): ParsedBatch {
  for (let index = 0; index < data.length; index += 1) {
    const problem = problemOf(data[index]);
    if (problem !== undefined) {
      const records = data.slice(0, index) as SandboxRecord[];
      return { records, problem: `Record ${index + 1}${problem}`, databaseVersion };
    }
  }
  return { records: data as SandboxRecord[], problem: undefined, databaseVersion };
}

function problemOf(record: unknown): string | undefined {
  if (!isObject(record)) return ` is ${nameOf(record)}; every record must be an object.`;
  for (const field of Object.keys(record)) {
    const value = record[field];
    if (typeof value !== "string") {
      return `, field ${JSON.stringify(field.slice(0, 80))}: the value is ${nameOf(value)}; every value must be a string.`;
    }
  }
  if (record["cle"] === "") return ": cle is empty; leave it out to create a fiche.";
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A request body as text, with its uncompressed size. */
export interface Body {
  readonly kind: "body";
  readonly text: string;
  readonly bytes: number;
}

const unpack = promisify(gunzip);

/**
 * Reads a body of at most `limitBytes`, compressed or not (gzip); otherwise returns the answer that refuses it.
 * Anything over the limit is read and discarded, so that the client gets the answer instead of a broken connection.
 * Throws if the client goes away.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Body | Answer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    return answerMsg(
      415,
      `The content-encoding ${JSON.stringify(encoding)} is not known; send gzip or none.`,
    );
  }
  const stored = await collect(request, limitBytes);
  if (stored === undefined) return tooLarge(limitBytes);
  if (encoding === "identity") return asText(stored);
  try {
    return asText(await unpack(stored, { maxOutputLength: limitBytes }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return tooLarge(limitBytes);
    return answerMsg(400, "The body is declared as gzip but is not.");
  }
}

async function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) chunks = [];
    else chunks.push(chunk);
  }
  return bytes > limitBytes ? undefined : Buffer.concat(chunks, bytes);
}

function asText(stored: Buffer): Body | Answer {
  if (!isUtf8(stored)) return answerMsg(400, "The body is not valid UTF-8.");
  return { kind: "body", text: stored.toString("utf8"), bytes: stored.length };
}

/** The answer to a body over the limit (RFC 9110 section 15.5.14). */
function tooLarge(limitBytes: number): Answer {
  return answerMsg(413, `The body is larger than ${limitBytes} bytes.`);
}
