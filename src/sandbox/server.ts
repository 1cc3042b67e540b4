import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { appliedFirst, faultReply, type FaultSet, hasEffect } from "./faults.ts";
import { bearerOf, type ClientTokens, hasToken } from "./oauth.ts";
import { type Answer, answerJson, answerMsg, type Reply, sendReply, specified } from "./reply.ts";
import type { RequestKeys, RequestWindow } from "./requests.ts";
import { hasKey, type SandboxRecord, type Store, type StoreView, type TableView } from "./store.ts";

/** Everything that the endpoints share. */
export interface SandboxContext {
  readonly store: Store;
  readonly faults: FaultSet;
  readonly counts: RequestCounts;
  readonly token: string;
  /** Tokens for clients; `undefined` if the sandbox has no OAuth. */
  readonly clientTokens: ClientTokens | undefined;
  /** `undefined` if requests are not limited. */
  readonly limit: RequestWindow | undefined;
  /** `undefined` if no version is required. */
  readonly databaseVersions: readonly string[] | undefined;
  /** The answers that were given under an Idempotency-Key while a fault honoured such keys. */
  readonly keys: RequestKeys;
  /** Host names that are accepted in addition to those of this machine. */
  readonly otherNames: readonly string[];
  /** Ends all waits when the sandbox closes. */
  readonly stopped: AbortSignal;
}

/** The requests since the start that would change something. */
export interface RequestCounts {
  /** As they arrive. */
  requests: number;
  /** As they are answered: by HTTP status, and `drop`, `hang` and `client gone`. */
  readonly statuses: Record<string, number>;
}

const SHOWN_RECORDS = 50;
const LONGEST_VALUE = 200;

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1.5rem; max-width: 68rem; font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
nav a { display: inline-block; padding-right: .75rem; } [aria-current] { font-weight: 650; }
.wide { overflow-x: auto; } table { border-collapse: collapse; }
th, td { border: 1px solid #8888; padding: .25rem .6rem; text-align: left; vertical-align: top; white-space: pre-wrap; min-width: 3rem; }
`;

/** `GET /`: a page for people with one table, without scripts and without anything loaded from elsewhere. */
function page(store: StoreView, wanted: string | null): Answer {
  const tables = store.tables();
  const table = tables.find(({ name }) => name === wanted) ?? tables[0];
  const links = tables.map(({ name, records }) => {
    const current = name === table?.name ? ' aria-current="page"' : "";
    return `<a href="/?table=${escapeHtml(encodeURIComponent(name))}"${current}>${shown(name)} (${records.size})</a>`;
  });
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rec-push sandbox</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>rec-push sandbox</h1>
<p>A service for rehearsals. Nothing here is real; reload the page to see what has changed.</p>
<nav aria-label="Tables">${links.join("\n")}</nav></header>
<main>
${table === undefined ? "<p>No table yet: push something.</p>" : sectionOf(table)}
</main>
</body>
</html>
`;
  const headers = {
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "no-referrer",
  };
  return { kind: "answer", status: 200, contentType: "text/html; charset=utf-8", headers, body };
}

function sectionOf({ name, records }: TableView): string {
  const first = [...records.values()].slice(0, SHOWN_RECORDS);
  const columns = [...new Set(["cle", ...first.flatMap((record) => Object.keys(record))])];
  const head = columns.map((field) => `<th scope="col">${shown(field)}</th>`).join("");
  const lines = first.map((record) => {
    const cells = columns.map((field) => `<td>${shown(valueOf(record, field))}</td>`);
    return `<tr>${cells.join("")}</tr>`;
  });
  const caption = `The first ${first.length} of ${records.size} records, in order of creation`;
  return `<h2>${shown(name)}</h2>
<p><a href="/api/items/${escapeHtml(encodeURIComponent(name))}/">All of them as JSON</a></p>
<div class="wide" role="region" aria-label="${shown(name)}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${lines.join("\n")}
</tbody></table></div>`;
}

function valueOf(record: SandboxRecord, field: string): string {
  // Without hasOwn, a field named like a built-in member of objects would show that member.
  return Object.hasOwn(record, field) ? (record[field] ?? "") : "";
}

function shown(text: string): string {
  return escapeHtml(text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
}

/** Makes any text harmless in HTML text and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * `POST /api/items/{table}/`, or its path for OAuth: token, content type and body are checked in this order, then the
 * faults, then the database version and the records.
 */
async function postItems(
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
  const first = fault === undefined ? Infinity : appliedFirst(fault);
  const refused = first > 0 ? refuseBatch(context, request.headers, query, batch) : undefined;
  if (refused !== undefined) return refused;
  const ok = answerMsg(specified.ok.status, rule?.msg ?? specified.ok.msg);
  const reply = fault === undefined ? ok : faultReply(fault, posted);
  const header = honoursKeys ? request.headers["idempotency-key"] : undefined;
  const key = typeof header === "string" ? header : undefined;
  const known = key === undefined ? undefined : context.keys.answerTo(key, text);
  if (known !== undefined) return fault === undefined ? known : reply;
  context.store.apply(table, records.slice(0, first));
  if (key !== undefined && first >= records.length) context.keys.remember(key, text, ok);
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
interface ParsedBatch {
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
function kindOf(records: readonly SandboxRecord[]): "create" | "update" | undefined {
  if (records.length === 0) return undefined;
  return records.every(hasKey) ? "update" : "create";
}

function problemOf(record: unknown): string | undefined {
  if (!isObject(record)) return " is not an object.";
  const field = Object.keys(record).find((name) => typeof record[name] !== "string");
  if (field !== undefined) return `, field ${JSON.stringify(field.slice(0, 80))}: the value is not a string.`;
  return record["cle"] === "" ? ": cle is empty; leave it out to create a record." : undefined;
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
async function readBody(request: IncomingMessage): Promise<string | Answer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip")
    return answerMsg(
      415,
      `The content-encoding ${JSON.stringify(encoding)} is not supported; send gzip or none.`,
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

/** Answers every request to the sandbox; nothing that a client sends makes it throw. */
export function listener(context: SandboxContext): RequestListener {
  return (request, response) => {
    // A client that goes away while it is being answered is nothing to report.
    response.on("error", () => {});
    void serve(context, request, response);
  };
}

async function serve(
  context: SandboxContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isCounted = request.method !== "GET" && request.method !== "HEAD";
  if (isCounted) context.counts.requests += 1;
  const count = (status: string): void => {
    if (!isCounted) return;
    context.counts.statuses[status] = (context.counts.statuses[status] ?? 0) + 1;
  };
  let reply: Reply;
  try {
    reply = await replyTo(context, request, response);
  } catch {
    const isGone = request.destroyed && !request.complete;
    if (context.stopped.aborted || isGone) {
      if (isGone) count("client gone");
      response.destroy();
      return;
    }
    reply = answerMsg(specified.internal.status, specified.internal.msg);
  }
  count(reply.kind === "answer" ? `${reply.status}` : reply.kind);
  sendReply(response, reply);
}

async function replyTo(
  context: SandboxContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply> {
  const { path, query } = splitTarget(request.url ?? "/");
  const route = routeOf(path);
  // A web page could give this machine a name of its own and send requests to it (DNS rebinding).
  const name = request.headers.host?.replace(/:\d+$/, "") ?? "";
  if (!isLoopback(name) && !context.otherNames.includes(name))
    return answerMsg(
      403,
      "The sandbox answers under a name of this machine only: http://127.0.0.1 or http://localhost.",
    );
  if (route.kind === "nowhere") return answerMsg(404, route.msg);
  if ((route.kind === "token" || route.isOAuth) && context.clientTokens === undefined)
    return answerMsg(404, "This sandbox has no OAuth: start it with --oauth.");
  const isReading = request.method === "GET" || request.method === "HEAD";
  if (request.method === "POST" && route.kind === "token") {
    const form = await readBody(request);
    return typeof form === "string" ? context.clientTokens!.answer(new URLSearchParams(form)) : form;
  }
  if (request.method === "POST" && route.kind === "items") {
    const limit = context.limit?.take();
    for (const [header, value] of Object.entries(limit?.headers ?? {})) response.setHeader(header, value);
    return limit?.refusal ?? postItems(context, request, route, query);
  }
  if (!isReading || route.kind === "token") {
    const allow = { page: "GET, HEAD", token: "POST", items: "GET, HEAD, POST" }[route.kind];
    return answerMsg(405, `The method ${request.method ?? ""} is not allowed here; use ${allow}.`, { allow });
  }
  if (route.kind === "page") return page(context.store, query.get("table"));
  const table = context.store.table(route.table);
  return table === undefined
    ? answerMsg(404, `There is no table ${JSON.stringify(route.table)}.`)
    : answerJson(200, [...table.records.values()]);
}

function isLoopback(host: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/i.test(host);
}

function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(target) ?? [];
  return { path, query: new URLSearchParams(query) };
}

/** The target of a path. Any base path may precede `/api/`. */
type Route =
  | { readonly kind: "page"; readonly isOAuth?: never }
  | { readonly kind: "token"; readonly isOAuth?: never }
  | { readonly kind: "items"; readonly table: string; readonly isOAuth: boolean }
  | { readonly kind: "nowhere"; readonly msg: string };

/** Reads the path of a request target (without its query). */
function routeOf(path: string): Route {
  if (path === "/") return { kind: "page" };
  if (path.endsWith("/api/oauth2/access_token/")) return { kind: "token" };
  const [, oauth, name = "", slash] = /\/api\/(oauth2\/)?items\/([^/]+)(\/?)$/.exec(path) ?? [];
  if (name === "") return nowhere("There is nothing at this path; records go to /api/items/TABLE/.");
  if (slash === "") return nowhere("There is nothing at this path: the trailing slash is part of it.");
  try {
    return { kind: "items", table: decodeURIComponent(name), isOAuth: oauth !== undefined };
  } catch {
    return nowhere("The name of the table cannot be read; it is percent-encoded UTF-8.");
  }
}

function nowhere(msg: string): Route {
  return { kind: "nowhere", msg };
}
