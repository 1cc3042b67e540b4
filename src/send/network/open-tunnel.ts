import { request as requestHttp, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { rootCertificates } from "node:tls";
import { proxyError, ProxyError } from "./create-way.ts";
import type { Network, Proxy } from "./network.ts";

/** The other end of a tunnel, and how long to wait for it. */
interface Tunnel {
  readonly proxy: Proxy;
  readonly certificates: Network["certificates"];
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Set when the tunnel is given up. */
  readonly signal: AbortSignal;
}

/**
 * Asks a proxy with CONNECT for a connection to a host; nothing goes through it yet. Rejects with a {@link
 * ProxyError}.
 */
export function openTunnel(tunnel: Tunnel): Promise<Socket> {
  const { proxy, host, port, timeoutMs, userAgent, signal } = tunnel;
  const goal = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const authorization = proxy.authorization();
  const options: RequestOptions = {
    method: "CONNECT",
    host: proxy.host,
    port: proxy.port,
    path: goal,
    agent: false,
    headers: {
      host: goal,
      "user-agent": userAgent,
      ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
    },
  };
  return new Promise((resolve, reject) => {
    const request = proxy.isTls ? requestHttps({ ...options, ...trustFor(tunnel) }) : requestHttp(options);
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      end();
      request.destroy();
      reject(proxyError(error, proxy.origin));
    };
    const onAbort = (): void => fail(new ProxyError("CUT", "given up"));
    const timer = setTimeout(
      () => fail(new ProxyError("TIMEOUT", `the proxy ${proxy.origin} does not answer`)),
      timeoutMs,
    );
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", fail);
    // An answer instead of a tunnel: anything after it does not answer CONNECT.
    request.on("response", ({ statusCode = 0 }) => fail(refusal(proxy, statusCode)));
    request.on("connect", ({ statusCode = 0 }, socket: Socket, head) => {
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        fail(refusal(proxy, statusCode));
        return;
      }
      end();
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

/** The service's authorities may also have signed the proxy's certificate; the proxy never gets ours. */
function trustFor({ certificates }: Tunnel): { readonly ca?: string[] } {
  return certificates?.ca === undefined ? {} : { ca: [...rootCertificates, certificates.ca] };
}

function refusal({ origin }: Proxy, status: number): ProxyError {
  return new ProxyError(`PROXY_${status}`, `the proxy ${origin} answers ${status}`, status);
}
