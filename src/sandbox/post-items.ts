import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { SandboxContext } from "./context.ts";
import { faultReply, hasEffect } from "./faults.ts";
import { bearerOf, hasToken } from "./oauth.ts";
import { type Answer, answerMsg, type Reply, specified } from "./reply.ts";
import { hasKey, type SandboxRecord } from "./store.ts";

/**
 * `POST /api/items/{table}/`, or its path for OAuth: token, content type and body are checked in this order, then the
 * faults, then the database version and the records.
 */
export async function postItems(
  context: SandboxContext,
  request: IncomingMessage,
  { table, isOAuth }: { readonly table: string; readonly isOAuth: boolean },
  query: URLSearchParams,
): Promise<Reply> {
  const refusal = refuseHead(context, request.headers, isOAuth);
  if (refusal !== undefined) return refusal;
  const text = await readBody(request);
  if (typeof text !== "string") return text;
  const batch = parseBatch(text);
  const { records } = batch;
  const posted = { kind: kindOf(records), text, records };
  const { latencyMs, honoursKeys, rule } = context.faults.strike(posted);
  if (latencyMs > 0) await wait(latencyMs, undefined, { signal: context.stopped });
  const fault = rule !== undefined && hasEffect(rule) ? rule : undefined;
  const appliedFirst = fault?.appliedFirst ?? Infinity;
  const refused = appliedFirst > 0 ? refuseBatch(context, request.headers, query, batch) : undefined;
  if (refused !== undefined) return refused;
  const ok = answerMsg(specified.ok.status, rule?.msg ?? specified.ok.msg);
  const reply = fault === undefined ? ok : faultReply(fault, posted);
  const header = honoursKeys ? request.headers["idempotency-key"] : undefined;
  const key = typeof header === "string" ? header : undefined;
  const known = key === undefined ? undefined : context.keys.answerTo(key, text);
  if (known !== undefined) return fault === undefined ? known : reply;
  context.store.apply(table, records.slice(0, appliedFirst));
  if (key !== undefined && appliedFirst >= records.length) context.keys.remember(key, text, ok);
  return reply;
}

function refuseHead(
  { clientTokens, token }: SandboxContext,
  headers: IncomingHttpHeaders,
  isOAuth: boolean,
): Answer | undefined {
  if (isOAuth ? clientTokens?.takes(bearerOf(headers)) !== true : !hasToken(headers, token))
    return answerMsg(specified.invalidToken.status, specified.invalidToken.msg);
  if (/^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?$/i.test(headers["content-type"] ?? ""))
    return undefined;
  return answerMsg(415, "The content-type must be application/json (UTF-8).");
}

function refuseBatch(
  { databaseVersions: known }: SandboxContext,
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
  { problem, databaseVersion }: ParsedBatch,
): Answer | undefined {
  const version: readonly unknown[] = [
    headers["database_version"],
    query.get("database_version"),
    databaseVersion,
  ];
  const given = version.filter((one) => one !== undefined && one !== null && one !== "");
  const { versionMissing, versionInvalid } = specified;
  if (known !== undefined && given.length === 0) return answerMsg(versionMissing.status, versionMissing.msg);
  if (known !== undefined && !given.every((one) => known.some((version) => version === one)))
    return answerMsg(versionInvalid.status, versionInvalid.msg);
  return problem === undefined ? undefined : answerMsg(400, problem);
}

/** A parsed request body. */
export interface ParsedBatch {
  /** Empty if there is a problem. */
  readonly records: readonly SandboxRecord[];
  /** The fault of the body, in one sentence that names the record (counted from 1). */
  readonly problem: string | undefined;
  /** The member `database_version` of a body with `data`. */
  readonly databaseVersion: unknown;
}

/** Reads `[{...}]` or `{"data":[{...}]}`: flat objects whose values are all strings. Never throws. */
export function parseBatch(text: string): ParsedBatch {
  const refused = (problem: string, databaseVersion?: unknown): ParsedBatch => ({
    records: [],
    problem,
    databaseVersion,
  });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return refused(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const outer = isObject(body) && Object.hasOwn(body, "data") ? body : { data: body };
  const { data, database_version: databaseVersion } = outer;
  if (!Array.isArray(data)) return refused('The body must be an array of records, or {"data":[...]}.');
  for (const [index, record] of data.entries()) {
    const problem = problemOf(record);
    if (problem !== undefined) return refused(`Record ${index + 1}${problem}`, databaseVersion);
  }
  return { records: data as SandboxRecord[], problem: undefined, databaseVersion };
}

/** `create` if at least one record has no `cle`; `undefined` for a batch without records. */
export function kindOf(records: readonly SandboxRecord[]): "create" | "update" | undefined {
  if (records.length === 0) return undefined;
  return records.every(hasKey) ? "update" : "create";
}

function problemOf(record: unknown): string | undefined {
  if (!isObject(record)) return " is not an object.";
  const field = Object.keys(record).find((name) => typeof record[name] !== "string");
  if (field !== undefined) return `, field ${JSON.stringify(field.slice(0, 80))}: the value is not a string.`;
  return record["cle"] === "" ? ": cle is empty; leave it out to create a fiche." : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

const unpack = promisify(gunzip);

/**
 * Reads a body of at most 64 MiB, compressed or not (gzip); otherwise returns the answer that refuses it. Anything over
 * the limit is read and discarded, so that the client gets the answer instead of a broken connection. Throws if the
 * client goes away.
 */
export async function readBody(request: IncomingMessage): Promise<string | Answer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip")
    return answerMsg(
      415,
      `The content-encoding ${JSON.stringify(encoding)} is not known; send gzip or none.`,
    );
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) chunks = [];
    else chunks.push(chunk);
  }
  if (bytes > BODY_LIMIT_BYTES) return answerMsg(413, `The body is larger than ${BODY_LIMIT_BYTES} bytes.`);
  let body = Buffer.concat(chunks, bytes);
  try {
    if (encoding === "gzip") body = await unpack(body, { maxOutputLength: BODY_LIMIT_BYTES });
  } catch {
    return answerMsg(400, "The body is not gzip, or too large when it is unpacked.");
  }
  return isUtf8(body) ? body.toString("utf8") : answerMsg(400, "The body is not valid UTF-8.");
}
