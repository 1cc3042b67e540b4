import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { RecPushError } from "../model/failure.ts";
import { isLoopback, isLoopbackHostHeader, type LoggedRequest, type SandboxContext } from "./context.ts";
import { parseFault } from "./fault-rules.ts";
import { hasReadingToken, hasToken } from "./oauth.ts";
import { page } from "./page.ts";
import { postItems, readBody } from "./post-items.ts";
import { type Answer, answerJson, answerMsg, type Reply, sendReply, specified } from "./reply.ts";
import type { TableView } from "./store.ts";

/** Limit on the body of a token request. */
const MAX_FORM_BYTES = 16 * 1024;

interface Served {
  readonly reply: Reply;
  readonly records?: number;
  readonly applied?: number;
  readonly fault?: string | undefined;
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
  const [path, query] = splitTarget(request.url ?? "/");
  const route = routeOf(path);
  try {
    const limit = route.kind === "items" && request.method === "POST" ? context.limit?.take() : undefined;
    for (const [name, value] of Object.entries(limit?.headers ?? {})) response.setHeader(name, value);
    const served =
      limit?.refusal === undefined
        ? await serveRoute(context, request, route, new URLSearchParams(query))
        : { reply: limit.refusal };
    record(context, request, route, served, noteOf(served));
    await sendReply(response, served.reply, context.stopped);
  } catch (error) {
    if (context.stopped.aborted || (request.destroyed && !request.complete)) {
      if (!context.stopped.aborted)
        record(context, request, route, { reply: { kind: "drop" } }, "", "client gone");
      response.destroy();
      return;
    }
    const reply = answerMsg(specified.internal.status, specified.internal.msg);
    record(context, request, route, { reply }, error instanceof Error ? error.message : String(error));
    if (response.headersSent) response.destroy();
    else await sendReply(response, reply, context.stopped);
  }
}

async function serveRoute(
  context: SandboxContext,
  request: IncomingMessage,
  route: Route,
  query: URLSearchParams,
): Promise<Served> {
  if (route.kind === "nowhere") return { reply: answerMsg(404, route.msg) };
  if (route.kind === "oauth-token" || (route.kind === "items" && route.isOAuth)) {
    if (context.clientTokens === undefined)
      return { reply: answerMsg(404, "This sandbox has no OAuth: start it with --oauth.") };
  }
  if ((route.kind === "oauth-token" || route.kind === "items") && request.method === "POST") {
    const reply = barOtherNames(context, request);
    if (reply !== undefined) return { reply };
    return route.kind === "items" ? postItems(context, request, route, query) : giveToken(context, request);
  }
  const barred = barReader(context, request);
  if (barred !== undefined) return { reply: barred };
  if (route.kind === "faults") return { reply: await serveFaults(context, request) };
  if (request.method !== "GET" && request.method !== "HEAD") {
    const allow = route.kind === "items" ? "GET, HEAD, POST" : "GET, HEAD";
    return {
      reply: answerMsg(405, `The method ${request.method ?? ""} is not known here; use ${allow}.`, { allow }),
    };
  }
  switch (route.kind) {
    case "page":
      return { reply: page(context) };
    case "requests":
      return { reply: getRequests(context) };
    case "oauth-token":
      return { reply: answerMsg(405, "Tokens are asked for with POST.", { allow: "POST" }) };
    case "items":
      return { reply: getItems(context, route.table) };
    case "item":
      return { reply: getItem(context, route.table, route.cle) };
  }
}

/** Stops a web page that gives this machine a name of its own and sends requests to it. */
function barOtherNames(context: SandboxContext, request: IncomingMessage): Reply | undefined {
  if (!context.isLoopbackOnly) return undefined;
  const { host } = request.headers;
  if (isLoopbackHostHeader(host) || context.otherNames.includes(host?.replace(/:\d+$/, "") ?? ""))
    return undefined;
  return answerMsg(
    403,
    "The sandbox answers under a name of this machine only: http://127.0.0.1 or http://localhost.",
  );
}

async function giveToken(context: SandboxContext, request: IncomingMessage): Promise<Served> {
  const body = await readBody(request, MAX_FORM_BYTES);
  if (body.kind === "answer") return { reply: body };
  return { reply: context.clientTokens!.answer(new URLSearchParams(body.text)) };
}

function barReader(context: SandboxContext, request: IncomingMessage): Reply | undefined {
  if (context.isLoopbackOnly) return barOtherNames(context, request);
  if (hasReadingToken(request.headers, context.token)) return undefined;
  const { status, msg } = specified.invalidToken;
  return answerMsg(status, msg, {
    "www-authenticate": 'Basic realm="rec-push sandbox: the token is the password"',
  });
}

function splitTarget(target: string): [string, string] {
  const mark = target.indexOf("?");
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

function record(
  context: SandboxContext,
  request: IncomingMessage,
  route: Route,
  { reply, records = 0, applied = 0 }: Served,
  note: string,
  status: LoggedRequest["status"] = statusOf(reply),
): void {
  const isReading = request.method === "GET" || request.method === "HEAD" || route.kind === "faults";
  if (isReading) return;
  const table = route.kind === "items" || route.kind === "item" ? route.table : "";
  context.log.add({ time: new Date(context.nowMs()).toISOString(), table, records, applied, status, note });
}

function statusOf(reply: Reply): LoggedRequest["status"] {
  switch (reply.kind) {
    case "answer":
      return reply.status;
    case "stream":
      return 200;
    case "drop":
    case "drop-midway":
      return "dropped";
    case "hang":
      return "no answer";
  }
}

function noteOf({ reply, fault }: Served): string {
  if (fault !== undefined) return `fault ${fault}`;
  return reply.kind === "answer" && reply.status !== 200 ? reply.body.slice(0, 300) : "";
}

/** The target of a path. Any base path may precede `/api/`. */
type Route =
  | { readonly kind: "page" | "faults" | "requests" }
  | { readonly kind: "oauth-token" }
  | { readonly kind: "items"; readonly table: string; readonly isOAuth: boolean }
  | { readonly kind: "item"; readonly table: string; readonly cle: string }
  | { readonly kind: "nowhere"; readonly msg: string };

const longestTableName = 200;

/** Reads the path of a request target (without its query). */
function routeOf(path: string): Route {
  if (path === "/") return { kind: "page" };
  if (path === "/sandbox/faults") return { kind: "faults" };
  if (path === "/sandbox/requests") return { kind: "requests" };
  if (path.endsWith("/api/oauth2/access_token/")) return { kind: "oauth-token" };
  const isOAuth = /\/api\/oauth2\/items\/[^/]+\/?$/.test(path);
  const items = /^(?:.*)\/api\/(?:oauth2\/)?items\/([^/]+)(\/?)$/.exec(path);
  const item = /^(?:.*)\/api\/item\/([^/]+)\/([^/]+)(\/?)$/.exec(path);
  const found = items ?? item;
  if (found === null) return nowhere("There is nothing at this path; records go to /api/items/TABLE/.");
  const [, first = "", second = "", third = ""] = found;
  if ((items === null ? third : second) === "") {
    return nowhere("There is nothing at this path: the trailing slash is part of it.");
  }
  const table = decoded(first);
  if (table === undefined || table.length > longestTableName) {
    return nowhere(
      `The name of the table cannot be read; it is percent-encoded UTF-8 of at most ${longestTableName} characters.`,
    );
  }
  if (items !== null) return { kind: "items", table, isOAuth };
  const cle = decoded(second);
  return cle === undefined
    ? nowhere("The cle cannot be read; it is percent-encoded UTF-8.")
    : { kind: "item", table, cle };
}

function nowhere(msg: string): Route {
  return { kind: "nowhere", msg };
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const pieceLength = 65_536;

/** `GET /api/items/{table}/`: all fiches as a JSON array in order of creation, written in pieces. */
function getItems(context: SandboxContext, name: string): Reply {
  const table = context.store.table(name);
  if (table === undefined) return answerMsg(404, `There is no table ${JSON.stringify(name)}.`);
  return { kind: "stream", contentType: "application/json", pieces: piecesOf(table) };
}

/** `GET /api/item/{table}/{cle}/`: one fiche. */
function getItem(context: SandboxContext, name: string, cle: string): Reply {
  const table = context.store.table(name);
  if (table === undefined) return answerMsg(404, `There is no table ${JSON.stringify(name)}.`);
  const fiche = table.records.get(cle);
  if (fiche !== undefined) return answerJson(200, fiche);
  return answerMsg(404, `There is no fiche ${JSON.stringify(cle)} in the table ${JSON.stringify(name)}.`);
}

/** `GET /sandbox/requests`: counts for scripts, and the last requests. */
function getRequests(context: SandboxContext): Reply {
  return answerJson(200, { ...context.log.counts(), last: context.log.last() });
}

function* piecesOf(table: TableView): Generator<string> {
  // The map is live: fiches created while this is sent are left to the next reader.
  let left = table.records.size;
  let piece = "[";
  for (const fiche of table.records.values()) {
    if (left === 0) break;
    piece += JSON.stringify(fiche);
    left -= 1;
    if (left > 0) piece += ",\n";
    if (piece.length >= pieceLength) {
      yield piece;
      piece = "";
    }
  }
  yield `${piece}]\n`;
}

const faultsLimitBytes = 65_536;

/**
 * `/sandbox/faults`: GET lists the rules, POST with a JSON array of texts replaces them, DELETE removes them. From this
 * machine only.
 */
export async function serveFaults(context: SandboxContext, request: IncomingMessage): Promise<Reply> {
  if (request.method === "GET" || request.method === "HEAD") return answerJson(200, context.faults.active());
  if (request.method !== "POST" && request.method !== "DELETE") {
    return answerMsg(405, "Faults are listed with GET, set with POST and ended with DELETE.", {
      allow: "GET, HEAD, POST, DELETE",
    });
  }
  if (!isLoopback(request.socket.remoteAddress ?? "")) {
    return answerMsg(403, "Faults are set from the machine of the sandbox only.");
  }
  if (!hasToken(request.headers, context.token)) {
    return answerMsg(specified.invalidToken.status, specified.invalidToken.msg);
  }
  if (request.method === "DELETE") return setFaults(context, []);
  const body = await readBody(request, faultsLimitBytes);
  if (body.kind === "answer") return body;
  const texts = textsOf(body.text);
  if (texts === undefined)
    return answerMsg(400, 'The body must be a JSON array of texts: ["status=503,times=2"].');
  return setFaults(context, texts);
}

function setFaults(context: SandboxContext, texts: readonly string[]): Answer {
  try {
    context.faults.set(texts.map(parseFault));
  } catch (error) {
    if (error instanceof RecPushError) return answerMsg(400, error.message);
    throw error;
  }
  return answerJson(200, context.faults.active());
}

function textsOf(body: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}
