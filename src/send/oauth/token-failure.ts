import { RecPushError } from "../../model/failure.ts";
import { networkFailure } from "../outcome.ts";
import { readBody, toOneLine } from "../success.ts";
import type { Target } from "../target.ts";
import type { Client } from "./client.ts";

/** An answer without a token, and the reason. */
interface NoToken {
  readonly status: number;
  readonly text: string;
  readonly error: unknown;
  /** The error of RFC 6749 that the answer names. */
  readonly name: string | undefined;
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
export function tokenRefused(
  { status, text, error, name }: NoToken,
  target: Target,
  client: Client,
  redact: (text: string) => string,
): RecPushError {
  const url = target.origin + client.tokenPath;
  if (status === 407) {
    const end = { kind: "answer", status, msg: undefined, text: "", retryAfter: undefined } as const;
    return networkFailure("proxy", { ...end, location: undefined }, target, false);
  }
  // A token that cannot be used is a secret all the same.
  const isSecret = SECRET_MEMBER.test(text);
  const said = isSecret ? hiding(error) : saying(text, redact);
  if (status === 401 || status === 403 || (name !== undefined && CLIENT_ERRORS.has(name))) {
    return new RecPushError(
      "credentials",
      "client-refused",
      `${url} gives no token to this client (${status}${name === undefined ? "" : ` ${redact(name)}`})${said}`,
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
  const why = typeof error === "string" ? `: ${error}` : said;
  return new RecPushError("request", "no-token", `the answer of ${url} is not a token (${status})${why}`, {
    hint: 'check "oauthTokenPath" in the profile, and any proxies between this machine and the service',
  });
}

/** What is wrong with an answer that holds a token, in words that do not repeat it. */
function hiding(error: unknown): string {
  const why = error instanceof Error ? `${error.message.replace(/^"response" body /, "")} ` : "";
  return `: ${why}(the answer holds a token and is not shown)`;
}

/** The readable part of an answer, which may repeat what was sent; one line, redacted. */
function saying(text: string, redact: (text: string) => string): string {
  const { msg, text: page } = readBody(Buffer.from(text), true);
  const said = toOneLine(redact(msg ?? page));
  return said === "" ? "" : `: ${said}`;
}
