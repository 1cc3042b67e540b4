import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type Answer, answerJson } from "./reply.ts";

/** True if the request has the token in `access_token`, as Bearer, or in both; a wrong token in one makes it false. */
export function hasToken(headers: IncomingHttpHeaders, token: string): boolean {
  const given: (string | undefined)[] = [];
  if (headers["access_token"] !== undefined) given.push(String(headers["access_token"]));
  if (headers.authorization !== undefined) given.push(bearerOf(headers));
  return given.length > 0 && given.every((one) => one === token);
}

/** The Bearer token of a request. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
}

/** The client that may ask the sandbox for tokens. */
export interface SandboxClient {
  readonly id: string;
  readonly secret: string;
}

/** The default client of a sandbox, which is no secret. */
export const SANDBOX_CLIENT: SandboxClient = { id: "sandbox", secret: "sandbox-secret" };

/**
 * The tokens that the sandbox issues to its client (RFC 6749, 4.4), as the public documentation of a service describes.
 */
export class ClientTokens {
  readonly client: SandboxClient;
  readonly #lifeSeconds: number;
  readonly #nowMs: () => number;
  /** Tokens, and when they expire. */
  readonly #given = new Map<string, number>();

  constructor(client: SandboxClient, lifeSeconds: number, nowMs: () => number) {
    this.client = client;
    this.#lifeSeconds = lifeSeconds;
    this.#nowMs = nowMs;
  }

  /** The number of tokens issued so far, including expired ones. */
  get count(): number {
    return this.#given.size;
  }

  /** Answers a token request, given as its form. */
  answer(form: URLSearchParams): Answer {
    if (form.get("grant_type") !== "client_credentials") return refusal(400, "unsupported_grant_type");
    const { id, secret } = this.client;
    if (form.get("client_id") !== id || form.get("client_secret") !== secret)
      return refusal(401, "invalid_client");
    const token = randomBytes(24).toString("base64url");
    this.#given.set(token, this.#nowMs() + this.#lifeSeconds * 1000);
    return answerJson(200, {
      access_token: token,
      token_type: "Bearer",
      // A string, as in the documentation of the service.
      expires_in: String(this.#lifeSeconds),
      scope: "",
    });
  }

  /** True for a token that has not expired. */
  takes(token: string | undefined): boolean {
    return token !== undefined && (this.#given.get(token) ?? -Infinity) > this.#nowMs();
  }
}

function refusal(status: number, error: string): Answer {
  return answerJson(status, { error });
}
