import type { LookupFunction, Socket } from "node:net";
import type { buildConnector } from "undici";
import createConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import type { Network, Proxy } from "./network.ts";

const TIMEOUT_MS = 10_000;
// Node's own 250 ms for each address are too short on slow lines.
const ATTEMPTS = { timeout: TIMEOUT_MS, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2500 };

/**
 * Makes the function that opens sockets to the service: directly, or through a tunnel of the proxy. Errors of the proxy are
 * {@link ProxyError}s. Setting the signal gives up tunnels.
 */
export function createWay(
  origin: string,
  { proxy, certificates }: Network,
  signal: AbortSignal,
): buildConnector.connector {
  const ca = certificates?.ca === undefined ? {} : { ca: certificates.ca };
  const own = certificates?.own && { cert: certificates.own.cert, key: certificates.own.key() };
  const lookup = new URL(origin).hostname === "localhost" ? { lookup: lookupLoopback } : {};
  const toService = createConnector({ ...ATTEMPTS, ...lookup, ...ca, ...own });
  if (proxy === undefined) return toService;
  const connect = async (
    to: buildConnector.Options,
    done: Parameters<buildConnector.connector>[1],
  ): Promise<void> => {
    const isTls = to.protocol === "https:";
    const goal = `${to.hostname}:${to.port || (isTls ? 443 : 80)}`;
    let httpSocket: Socket;
    try {
      httpSocket = await openTunnel(goal, proxy, certificates?.ca, signal);
    } catch (error) {
      done(error as ProxyError, null);
      return;
    }
    if (isTls) toService({ ...to, httpSocket }, done);
    else done(null, httpSocket);
  };
  return (to, done) => void connect(to, done);
}

/** Asks the proxy with CONNECT for a connection to a host and port; nothing goes through it yet. */
async function openTunnel(
  goal: string,
  { origin, authorization }: Proxy,
  authority: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  // The service's authority may also have signed the proxy's certificate; the proxy never gets ours.
  const isOther = authority !== undefined && origin.startsWith("https:");
  const ca = isOther ? { ca: [...(await import("node:tls")).rootCertificates, authority] } : {};
  const client = new Client(origin, {
    connect: createConnector({ ...ATTEMPTS, ...ca }),
    headersTimeout: TIMEOUT_MS,
  });
  const user = authorization();
  const headers = { host: goal, ...(user === undefined ? {} : { "proxy-authorization": user }) };
  const giveUp = (): void => void client.destroy();
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  try {
    return await new Promise((resolve, reject) => {
      client.dispatch(
        { method: "CONNECT", path: goal, headers },
        {
          onRequestStart: () => undefined,
          onRequestUpgrade(_controller, status, _headers, socket) {
            if (status >= 200 && status < 300) return resolve(socket as Socket);
            socket.destroy();
            reject(new ProxyError(`the proxy ${origin} answers ${status}`, { status }));
          },
          onResponseError: (_controller, cause) =>
            reject(new ProxyError(`the proxy ${origin} cannot be reached`, { cause })),
        },
      );
    });
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/**
 * Resolves to this machine, whatever a name server or /etc/hosts says (RFC 6761, 6.3), because to `http://localhost`
 * the token travels unencrypted.
 */
const lookupLoopback: LookupFunction = (_hostname, _options, done) =>
  done(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);

/** A connection that the proxy did not make; nothing was sent through it. */
export class ProxyError extends Error {
  /** The answer to CONNECT; `undefined`: there was none, and `cause` says why. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { readonly status?: number; readonly cause?: unknown }) {
    super(message, { cause });
    this.status = status;
  }
}
