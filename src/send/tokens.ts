import { RecPushError } from "../model/failure.ts";
import { exchangeOnce, type RawAnswer, type TransportFault } from "./exchange.ts";
import { backOffMs, type Clock, parseRetryAfter, type SendSettings } from "./settings.ts";
import { stopForFault } from "./stop-failure.ts";
import { readBody, toOneLine } from "./success.ts";
import type { Client, Target } from "./target.ts";

/** The parts of a session that fetching tokens needs. */
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
      if (found instanceof RecPushError) return found;
      if ("token" in found) {
        this.#client.note(found.token);
        this.#token = { text: found.token, renewAtMs: sinceMs + found.lifeMs * RENEWED_AT };
        return found.token;
      }
      const forMs = found.afterMs ?? backOffMs(tries + 1, settings.backOff, random);
      waitedMs += forMs;
      if (tries >= settings.retries || waitedMs > settings.maxWaitMs || signal.aborted) {
        const message = `no token from ${target.origin}${this.#client.tokenPath}: ${found.why}`;
        return new RecPushError("token-unreachable", message, {
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
    return exchangeOnce(target, exchange, cut);
  }
}

/** A token and its life; or the reason why there is none yet, and the wait that the service asks for; or a stop. */
type Fetched =
  | { readonly token: string; readonly lifeMs: number }
  | { readonly why: string; readonly afterMs: number | undefined }
  | RecPushError;

/** Reads the answer to a request for a token (RFC 6749, 5.1). The request carries no records, so it may always be repeated. */
function readToken(
  end: RawAnswer | TransportFault,
  client: Client,
  { target, settings, clock }: TokenSetting,
): Fetched {
  if (end.kind === "fault") return stopForFault(end, target) ?? { why: end.message, afterMs: undefined };
  const { status, header, body } = end;
  if (status === 408 || status === 429 || status >= 500) {
    const afterMs = parseRetryAfter(header("retry-after"), clock.now());
    return { why: `it answers ${status}`, afterMs };
  }
  if (!end.isWhole) return { why: "its answer was cut off", afterMs: undefined };
  const text = body.toString();
  const answer = objectIn(text);
  if (status !== 200) return noToken(status, answer, text, "", target, client, settings.redact);
  const { access_token: token, token_type: type, expires_in: life = Infinity } = answer;
  const seconds = typeof life === "string" && life.trim() !== "" ? Number(life) : life;
  const isToken = typeof token === "string" && /^[\x21-\x7e]+$/.test(token);
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  if (isToken && isBearer && typeof seconds === "number" && seconds > 0)
    return { token, lifeMs: seconds * 1000 };
  const fault = !isToken
    ? ": it has no token that a header can carry"
    : `: its token ${isBearer ? "has no life" : "is not of the type Bearer"}`;
  return noToken(status, answer, text, fault, target, client, settings.redact);
}

/** The members of a JSON object; none for any other text. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** Errors of RFC 6749, 5.2, that concern the client. */
const CLIENT_ERRORS = new Set<unknown>(["invalid_client", "unauthorized_client", "access_denied"]);

/** The members of RFC 6749, 5.1, and OpenID Connect that hold a secret. */
const SECRET_MEMBER = /(access|refresh|id)_token/i;

/** Puts an answer without a usable token into words. */
function noToken(
  status: number,
  { error }: Readonly<Record<string, unknown>>,
  text: string,
  fault: string,
  target: Target,
  client: Client,
  redact: (text: string) => string,
): RecPushError {
  const url = target.origin + client.tokenPath;
  // A token that cannot be used is a secret all the same; other answers may repeat what was sent.
  const { msg, text: page } = readBody(Buffer.from(text), true);
  const shown = toOneLine(redact(msg ?? page));
  const said = SECRET_MEMBER.test(text)
    ? ": the answer holds a token and is not shown"
    : shown && `: ${shown}`;
  if (status === 401 || status === 403 || CLIENT_ERRORS.has(error)) {
    return new RecPushError(
      "client-refused",
      `${url} gives no token to this client (${status}${typeof error === "string" ? ` ${redact(error)}` : ""})${said}`,
      {
        hint: `check REC_PUSH_CLIENT_ID or "clientId" in the profile, and the client secret${client.secretFrom === undefined ? "" : `, which came from ${client.secretFrom}`}`,
      },
    );
  }
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
    return new RecPushError("no-token", `${url} does not issue tokens (${status})${said}`, {
      hint: 'check --url, and name the path below it with "oauthTokenPath" in the profile',
    });
  }
  return new RecPushError("no-token", `the answer of ${url} is not a token (${status})${fault}${said}`, {
    hint: 'check "oauthTokenPath" in the profile, and any proxies between this machine and the service',
  });
}
