import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { SandboxContext } from "./context.ts";
import { page } from "./page.ts";
import { postItems, readBody } from "./post-items.ts";
import { answerJson, answerMsg, type Reply, sendReply, specified } from "./reply.ts";

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
  const count = (status: string): void => {
    if (request.method === "GET" || request.method === "HEAD") return;
    context.counts.requests += 1;
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
    return answerMsg(405, `The method ${request.method ?? ""} is not known here; use ${allow}.`, { allow });
  }
  if (route.kind === "page") return page(context.store);
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
