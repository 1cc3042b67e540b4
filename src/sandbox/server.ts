import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import type { SandboxContext } from "./context.ts";
import { serveFaults } from "./fault-endpoint.ts";
import { isLoopbackHostHeader } from "./loopback.ts";
import { page } from "./page.ts";
import { postItems } from "./post-items.ts";
import { readBody } from "./read-body.ts";
import { getItem, getItems, getRequests } from "./read-endpoints.ts";
import { answerMsg, sendReply, type Reply } from "./reply.ts";
import type { LoggedRequest } from "./request-log.ts";
import { routeOf, type Route } from "./route.ts";
import { specified } from "./specified.ts";
import { hasReadingToken } from "./token.ts";

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
  // With TLS, a page's own name does not match the certificate.
  if (!context.isLoopbackOnly || "encrypted" in request.socket) return undefined;
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
