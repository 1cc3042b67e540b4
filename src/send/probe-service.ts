import { lookup } from "node:dns/promises";
import { createConnections } from "./connection.ts";
import { exchangeOn, type TransportFault } from "./exchange.ts";
import { requestLine } from "./network/network.ts";
import type { Target } from "./target.ts";

/** The answer of a service to a request that changes nothing. */
export interface ProbeAnswer {
  readonly kind: "probe";
  readonly status: number;
  /** The service's clock, in milliseconds since 1970; `undefined` if it does not say. */
  readonly dateMs: number | undefined;
  /** When the certificate expires, in milliseconds since 1970; `undefined` without TLS. */
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
 * Sends HEAD to the address that records are posted to, by the same route as a push, with these headers of the target
 * or with none of them. Redirects are not followed.
 */
export async function probeService(
  target: Target,
  ofTarget: readonly string[],
  userAgent: string,
): Promise<ProbeAnswer | TransportFault> {
  const { origin, network } = target;
  const connections = createConnections({ origin, network, connectTimeoutMs: TIMEOUT_MS, userAgent });
  const line = requestLine(target);
  // There is no body, so there is no content type either.
  const given = [...ofTarget, ...line.headers];
  const headers = given.filter((_, at) => given[at - (at % 2)] !== "content-type");
  if (!ofTarget.includes("user-agent")) headers.push("user-agent", userAgent);
  const connection = connections.open();
  const exchange = {
    method: "HEAD" as const,
    path: line.path(target.requestPath()),
    headers,
    body: null,
    timeoutMs: TIMEOUT_MS,
    via: network.proxy?.origin,
  };
  const result = await exchangeOn(connection, exchange, new AbortController().signal);
  const certificateEnd = connection.certificateEnd();
  await connections.close();
  if (result.kind === "fault") return result;
  const dateMs = Date.parse(result.header("date") ?? "");
  return {
    kind: "probe",
    status: result.status,
    dateMs: Number.isNaN(dateMs) ? undefined : dateMs,
    certificateEndsMs: certificateEnd === undefined ? undefined : Date.parse(certificateEnd),
  };
}
