import { usageProblem } from "../request-headers.ts";

/** The options of OAuth 2.0 client credentials. */
export interface ClientOptions {
  readonly id: string;
  readonly secret: string;
  /** Where the secret came from, for people. */
  readonly secretFrom?: string;
  /** Relative to the base URL; `/api/oauth2/access_token/` by default. */
  readonly tokenPath?: string;
}

/** Who asks for tokens, and where. Secrets are returned by functions, so that printing a client shows none. */
export interface Client {
  readonly id: string;
  readonly secret: () => string;
  readonly secretFrom: string | undefined;
  /** The path of the token endpoint, at the target's origin. */
  readonly tokenPath: string;
  /** The latest tokens, which must not be printed. */
  readonly issued: readonly string[];
  /** To be called with every token that is issued. */
  readonly note: (token: string) => void;
}

const DEFAULT_PATH = "/api/oauth2/access_token/";
/** Older tokens have expired, and no answer is that late. */
const MAX_ISSUED = 20;

/** Throws a usage error for a path that leaves the service. */
export function createClient(
  base: URL,
  { id, secret, secretFrom, tokenPath = DEFAULT_PATH }: ClientOptions,
): Client {
  const path = base.pathname.replace(/\/+$/, "") + (tokenPath.startsWith("/") ? "" : "/") + tokenPath;
  const url = new URL(base.origin);
  url.pathname = path;
  if (/[?#\s]|^[a-z]+:|\/\/|(^|\/)\.\.?(\/|$)/i.test(tokenPath)) {
    throw usageProblem(
      "bad-token-path",
      `oauthTokenPath ${JSON.stringify(tokenPath)} is not a path below the URL`,
      `${DEFAULT_PATH} is the usual one, and needs no key`,
    );
  }
  const issued: string[] = [];
  return {
    id,
    secret: () => secret,
    secretFrom,
    tokenPath: url.pathname,
    issued,
    note: (token) => {
      issued.push(token);
      if (issued.length > MAX_ISSUED) issued.shift();
    },
  };
}
