import type { AuthorizationServer, Client as KnownClient } from "oauth4webapi";
import type { RecPushError } from "../../model/failure.ts";
import type { Connections } from "../connection.ts";
import { exchangeOn, type RawAnswer, type TransportFault } from "../exchange.ts";
import { requestLine } from "../network/network.ts";
import { stopForFault } from "../outcome.ts";
import { type Clock, parseRetryAfter, type SendSettings } from "../settings.ts";
import type { Target } from "../target.ts";
import type { Client } from "./client.ts";
import { tokenRefused } from "./token-failure.ts";

/** What fetching tokens needs from a session. */
export interface TokenSetting {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The result of one request for a token. */
type Fetched =
  | { readonly kind: "token"; readonly token: string; readonly lifeMs: number }
  /** A token may come later; `afterMs`: the service says when to ask. */
  | { readonly kind: "retry"; readonly why: string; readonly afterMs: number | undefined }
  | { readonly kind: "stop"; readonly failure: RecPushError };

const TIMEOUT_MS = 30_000;

/**
 * Asks for one token. The request carries no records, so it may always be repeated. Rejects only for a defect of
 * rec-push.
 */
export async function fetchToken(
  connections: Connections,
  client: Client,
  setting: TokenSetting,
  cut: AbortSignal,
): Promise<Fetched> {
  const { target, settings, clock } = setting;
  const oauth = await import("oauth4webapi");
  const as: AuthorizationServer = {
    issuer: target.origin,
    token_endpoint: target.origin + client.tokenPath,
  };
  const known: KnownClient = { client_id: client.id };
  let end: RawAnswer | TransportFault | undefined;
  const request = await oauth.clientCredentialsGrantRequest(
    as,
    known,
    oauth.ClientSecretPost(client.secret()),
    {},
    {
      // createTarget has already refused plain http, unless the user allows it.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (_url, { body, headers }) => {
        end = await post(connections, client, setting, cut, { body: String(body), headers });
        return asResponse(end);
      },
    },
  );
  if (end === undefined) throw new Error("no request for a token was made");
  if (end.kind === "fault") {
    const failure = stopForFault(end, target);
    if (failure !== undefined) return { kind: "stop", failure };
    return { kind: "retry", why: end.message, afterMs: undefined };
  }
  const { status, header, body } = end;
  if (status === 408 || status === 429 || status >= 500) {
    const afterMs = parseRetryAfter(header("retry-after"), clock.now());
    return { kind: "retry", why: `it answers ${status}`, afterMs };
  }
  if (!end.isWhole) return { kind: "retry", why: "its answer was cut off", afterMs: undefined };
  const stop = (error: unknown): Fetched => {
    const name = error instanceof oauth.ResponseBodyError ? error.error : undefined;
    const failure = tokenRefused(
      { status, text: body.toString(), error, name },
      target,
      client,
      settings.redact,
    );
    return { kind: "stop", failure };
  };
  try {
    const found = await oauth.processClientCredentialsResponse(as, known, request);
    const { access_token: token, token_type: type, expires_in: seconds = Infinity } = found;
    if (type !== "bearer") return stop(`a token of type ${type}`);
    if (!/^[\x21-\x7e]+$/.test(token)) return stop("a token that no header can carry");
    if (seconds === 0) return stop("a token that lives for 0 s");
    return { kind: "token", token, lifeMs: seconds * 1000 };
  } catch (error) {
    return stop(error);
  }
}

/** Posts on a new connection: tokens are fetched too rarely to keep one. */
async function post(
  connections: Connections,
  client: Client,
  { target, settings }: TokenSetting,
  cut: AbortSignal,
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
): Promise<RawAnswer | TransportFault> {
  const line = requestLine(target);
  const own = Object.entries({ ...headers, "user-agent": settings.userAgent, "accept-encoding": "identity" });
  const connection = connections.open();
  const exchange = {
    method: "POST" as const,
    path: line.path(client.tokenPath),
    headers: [...own.flat(), ...line.headers],
    body: Buffer.from(body),
    via: target.network.proxy?.origin,
    timeoutMs: Math.min(settings.timeoutMs ?? TIMEOUT_MS, TIMEOUT_MS),
  };
  const result = await exchangeOn(connection, exchange, cut);
  connections.drop(connection);
  return result;
}

/**
 * The answer in the form that the library wants; it takes JSON only with the JSON content type, which some services
 * forget.
 */
function asResponse(end: RawAnswer | TransportFault): Response {
  const headers = { "content-type": "application/json" };
  if (end.kind === "fault") return new Response("", { status: 503, headers });
  const hasBody = end.status !== 204 && end.status !== 205 && end.status !== 304;
  return new Response(hasBody ? new Uint8Array(end.body) : null, { status: end.status, headers });
}
