import type { LookupFunction, Socket } from "node:net";
import type { buildConnector } from "undici";
import createConnector from "undici/lib/core/connect.js";
import type { Certificates, Network, Proxy } from "./network.ts";

/** Where sockets connect to, and how. */
export interface WayOptions {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  readonly network: Network;
  readonly connectTimeoutMs: number;
  readonly userAgent: string;
}

// Node's own 250 ms for each address are too short on slow lines.
const ATTEMPTS = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2500 };

/**
 * Makes the function that opens sockets to the service: directly, through a tunnel of the proxy, or, for plain http,
 * to the proxy itself, which forwards. Errors of the proxy are `ProxyError`s. Setting the signal gives up tunnels.
 */
export function createWay(options: WayOptions, signal: AbortSignal): buildConnector.connector {
  const { origin, network, connectTimeoutMs: timeout, userAgent } = options;
  const { proxy, certificates } = network;
  if (proxy !== undefined && origin.startsWith("http:")) return wayToProxy(proxy, certificates, timeout);
  const ca = certificates?.ca === undefined ? {} : { ca: certificates.ca };
  const own = certificates?.own && { cert: certificates.own.cert, key: certificates.own.key() };
  const lookup = isLocalhost(origin) ? { lookup: lookupLoopback } : {};
  const toService = createConnector({ timeout, ...ATTEMPTS, ...lookup, ...ca, ...own });
  if (proxy === undefined) return toService;
  const connect = async (
    to: buildConnector.Options,
    done: Parameters<buildConnector.connector>[1],
  ): Promise<void> => {
    const host = to.hostname.replace(/^\[(.*)\]$/, "$1");
    const goal = { host, port: Number(to.port || 443) };
    let httpSocket: Socket;
    try {
      // Loaded only if there is a proxy.
      const { openTunnel } = await import("./open-tunnel.ts");
      httpSocket = await openTunnel({
        ...goal,
        proxy,
        certificates,
        userAgent,
        timeoutMs: timeout,
        signal,
      });
    } catch (error) {
      done(proxyError(error, proxy.origin), null);
      return;
    }
    toService({ ...to, httpSocket }, done);
  };
  return (to, done) => void connect(to, done);
}

/** The proxy never gets our certificate; its own may be signed by the service's authority. */
function wayToProxy(
  proxy: Proxy,
  certificates: Certificates | undefined,
  timeout: number,
): buildConnector.connector {
  const trusted = certificates?.ca;
  let toProxy = createConnector({ timeout, ...ATTEMPTS });
  const connect: buildConnector.connector = (to, done) =>
    toProxy(to, (...[error, socket]) =>
      error === null ? done(null, socket) : done(proxyError(error, proxy.origin), null),
    );
  if (trusted === undefined || !proxy.isTls) return connect;
  return (to, done) => {
    void import("node:tls").then(({ rootCertificates }) => {
      toProxy = createConnector({ timeout, ...ATTEMPTS, ca: [...rootCertificates, trusted] });
      connect(to, done);
    });
  };
}

function isLocalhost(origin: string): boolean {
  return new URL(origin).hostname === "localhost";
}

/**
 * Resolves to this machine, whatever a name server or /etc/hosts says (RFC 6761, 6.3), because to `http://localhost`
 * the token travels unencrypted.
 */
const lookupLoopback: LookupFunction = (_hostname, { all }, done) => {
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ] as const;
  if (all === true) done(null, [...addresses]);
  else done(null, addresses[0].address, addresses[0].family);
};

/** A connection that the proxy did not make; nothing was sent through it. */
export class ProxyError extends Error {
  /** `PROXY_407` if the proxy answered with 407, else the code of the connection to it. */
  readonly code: string;
  /** The answer to CONNECT. */
  readonly status: number | undefined;

  constructor(code: string, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** True if the proxy refuses, rather than being unable to connect for now. */
  get isRefusal(): boolean {
    const { status = 0 } = this;
    return status >= 300 && status < 500 && status !== 408 && status !== 429;
  }
}

/** Wraps the error of a connection to a proxy. */
export function proxyError(error: unknown, origin: string): ProxyError {
  if (error instanceof ProxyError) return error;
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  const first = (errors?.[0] as { readonly code?: unknown } | undefined)?.code;
  const name = [code, first].find((one) => typeof one === "string") ?? "UNKNOWN";
  return new ProxyError(name, `the proxy ${origin} cannot be reached`);
}
