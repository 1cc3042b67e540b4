import { lookup } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Target } from "./target.ts";

/** The answer of a service to a question that changes nothing. */
export interface ProbeAnswer {
  readonly status: number;
  /** The service's clock, in milliseconds since 1970; `undefined` where it does not tell. */
  readonly dateMs: number | undefined;
  /** When the certificate ends, in milliseconds since 1970; `undefined` without TLS. */
  readonly certificateEndsMs: number | undefined;
}

const TIMEOUT_MS = 10_000;

/** The addresses of a target's host. Rejects with the resolver's error. */
export async function resolveHost({ origin }: Target): Promise<readonly string[]> {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/**
 * Asks with HEAD at the place that records are posted to, with or without the token, and with nothing of -H where that
 * is left out. Rejects with the error of the connection. Redirects are not followed.
 */
export function probeService(target: Target, withToken: boolean, userAgent: string): Promise<ProbeAnswer> {
  const url = new URL(target.origin + target.requestPath());
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const headers = withToken
    ? [...target.requestHeaders(), "user-agent", userAgent]
    : ["user-agent", userAgent];
  return new Promise((resolve, reject) => {
    // A body there is none of has no type.
    const pairs = pairsOf(headers).filter(([name]) => name.toLowerCase() !== "content-type");
    const request = send(url, {
      method: "HEAD",
      headers: Object.fromEntries(pairs),
      timeout: TIMEOUT_MS,
      agent: false,
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    request.on("error", reject);
    request.on("response", (response) => {
      response.resume();
      const dateMs = Date.parse(response.headers.date ?? "");
      const certificate = (response.socket as Partial<TLSSocket>).getPeerCertificate?.();
      resolve({
        status: response.statusCode ?? 0,
        dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
        certificateEndsMs: certificate === undefined ? undefined : Date.parse(certificate.valid_to),
      });
    });
    request.end();
  });
}

function pairsOf(headers: readonly string[]): (readonly [name: string, value: string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : []));
}
