import { RecPushError } from "../model/failure.ts";
import { exchangeOnce, type RawAnswer, type TransportFault } from "./exchange.ts";
import { backOffMs, type Clock, parseRetryAfter, type SendSettings } from "./settings.ts";
import { stopForFault } from "./stop-failure.ts";
import { readBody, toOneLine } from "./success.ts";
import type { Client, Target } from "./target.ts";

/** What fetching tokens needs from a session. */
interface TokenSetting {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
}

const TIMEOUT_MS = 30_000;
/** A token is renewed after this share of its life. */
const RENEWED_AT = 0.8;

/** A token, and when it is renewed; `Infinity`: once the service refuses it. */
interface Token {
  readonly text: string;
  readonly renewAtMs: number;
}

/** The tokens that a target's client fetches when they are needed; only one token request at a time. */
export class Tokens {
  readonly #setting: TokenSetting;
  readonly #client: Client;
  readonly #closing = new AbortController();
  #token: Token | undefined;
  #renewal: Promise<string | RecPushError> | undefined;

  constructor(setting: TokenSetting, client: Client) {
    this.#setting = setting;
    this.#client = client;
  }

  /** The token for a request that is about to be sent, or the failure if none can be had. */
  async take(): Promise<string | RecPushError> {
    if (this.#token !== undefined && this.#setting.clock.now() < this.#token.renewAtMs)
      return this.#token.text;
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** The service refused a token. Requests sent with the same one are refused together: the first refusal ends it. */
  refuse(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#renewal;
  }

  async #fetch(): Promise<string | RecPushError> {
    const { clock, settings, random, target } = this.#setting;
    const { signal } = this.#closing;
    let waitedMs = 0;
    for (let tries = 0; ; tries += 1) {
      const sinceMs = clock.now();
      const found = readToken(await this.#ask(signal), this.#client, this.#setting);
      if (found.kind === "token") {
        this.#client.note(found.token);
        this.#token = { text: found.token, renewAtMs: sinceMs + found.lifeMs * RENEWED_AT };
        return found.token;
      }
      if (found.kind === "stop") return found.failure;
      const forMs = found.afterMs ?? backOffMs(tries + 1, settings.backOff, random);
      waitedMs += forMs;
      if (tries >= settings.retries || waitedMs > settings.maxWaitMs || signal.aborted) {
        const message = `no token from ${target.origin}${this.#client.tokenPath}: ${found.why}`;
        return new RecPushError("unreachable", "token-unreachable", message, {
          hint: "check the service; the same command continues where this one stopped",
        });
      }
      await clock.sleep(forMs, signal);
    }
  }

  /** Posts on a new connection: tokens are fetched too rarely to keep one. */
  async #ask(cut: AbortSignal): Promise<RawAnswer | TransportFault> {
    const { target, settings } = this.#setting;
    const { id, secret, tokenPath } = this.#client;
    const grant = { grant_type: "client_credentials", client_id: id, client_secret: secret() };
    const headers = {
      "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
      accept: "application/json",
      "user-agent": settings.userAgent,
      "accept-encoding": "identity",
    };
    const exchange = {
      method: "POST" as const,
      path: tokenPath,
      headers: Object.entries(headers).flat(),
      body: Buffer.from(String(new URLSearchParams(grant))),
      timeoutMs: Math.min(settings.timeoutMs ?? TIMEOUT_MS, TIMEOUT_MS),
    };
    return (await exchangeOnce(target, exchange, cut)).end;
  }
}

/** The result of one request for a token. */
type Fetched =
  | { readonly kind: "token"; readonly token: string; readonly lifeMs: number }
  /** A token may come later; `afterMs`: the service says when to ask. */
  | { readonly kind: "retry"; readonly why: string; readonly afterMs: number | undefined }
  | { readonly kind: "stop"; readonly failure: RecPushError };

/** Reads the answer to a request for a token (RFC 6749, 5.1). The request carries no records, so it may always be repeated. */
function readToken(
  end: RawAnswer | TransportFault,
  client: Client,
  { target, settings, clock }: TokenSetting,
): Fetched {
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
  const text = body.toString();
  const answer = objectIn(text);
  const { access_token: token, token_type: type, expires_in: life = Infinity } = answer;
  const seconds = typeof life === "string" && life.trim() !== "" ? Number(life) : life;
  const fault =
    status !== 200
      ? undefined
      : typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)
        ? "it has no token that a header can carry"
        : typeof type !== "string" || type.toLowerCase() !== "bearer"
          ? "its token is not of the type Bearer"
          : typeof seconds !== "number" || !(seconds > 0)
            ? "its token has no life"
            : "";
  if (fault === "") return { kind: "token", token: token as string, lifeMs: (seconds as number) * 1000 };
  const error = typeof answer["error"] === "string" ? answer["error"] : undefined;
  const failure = tokenRefused({ status, text, fault, error }, target, client, settings.redact);
  return { kind: "stop", failure };
}

/** The members of a JSON object; none for any other text. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** An answer without a token. */
interface NoToken {
  readonly status: number;
  readonly text: string;
  /** What is wrong with it, if it is a success. */
  readonly fault: string | undefined;
  /** The error of RFC 6749 that it names. */
  readonly error: string | undefined;
}

/** Errors of RFC 6749, 5.2, that concern the client. */
const CLIENT_ERRORS: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "access_denied",
]);

/** The members of RFC 6749, 5.1, and OpenID Connect that hold a secret. */
const SECRET_MEMBER = /(access|refresh|id)_token/i;

/** Puts an answer without a token into words. */
function tokenRefused(
  { status, text, fault, error }: NoToken,
  target: Target,
  client: Client,
  redact: (text: string) => string,
): RecPushError {
  const url = target.origin + client.tokenPath;
  // A token that cannot be used is a secret all the same.
  const isSecret = SECRET_MEMBER.test(text);
  const said = isSecret ? ": the answer holds a token and is not shown" : saying(text, redact);
  if (status === 401 || status === 403 || (error !== undefined && CLIENT_ERRORS.has(error))) {
    return new RecPushError(
      "credentials",
      "client-refused",
      `${url} gives no token to this client (${status}${error === undefined ? "" : ` ${redact(error)}`})${said}`,
      {
        hint: `check REC_PUSH_CLIENT_ID or "clientId" in the profile, and the client secret${client.secretFrom === undefined ? "" : `, which came from ${client.secretFrom}`}`,
      },
    );
  }
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
    return new RecPushError(
      "request",
      "no-token-endpoint",
      `${url} does not issue tokens (${status})${said}`,
      {
        hint: 'check --url, and name the path below it with "oauthTokenPath" in the profile',
      },
    );
  }
  const why = fault === undefined ? "" : `: ${fault}`;
  return new RecPushError(
    "request",
    "no-token",
    `the answer of ${url} is not a token (${status})${why}${said}`,
    {
      hint: 'check "oauthTokenPath" in the profile, and any proxies between this machine and the service',
    },
  );
}

/** The readable part of an answer, which may repeat what was sent; one line, redacted. */
function saying(text: string, redact: (text: string) => string): string {
  const { msg, text: page } = readBody(Buffer.from(text), true);
  const said = toOneLine(redact(msg ?? page));
  return said === "" ? "" : `: ${said}`;
}
