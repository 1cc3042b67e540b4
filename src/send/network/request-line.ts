import type { Network } from "./network.ts";

/** How a request to a target is written for its recipient. */
interface RequestLine {
  readonly path: (path: string) => string;
  /** Names and values in turn, beside the target's own. */
  readonly headers: readonly string[];
}

/**
 * A proxy that forwards plain http gets the full address (RFC 9112, 3.2.2), and its credentials with every request.
 */
export function requestLine({
  origin,
  network: { proxy },
}: {
  readonly origin: string;
  readonly network: Network;
}): RequestLine {
  if (proxy === undefined || !origin.startsWith("http:")) return { path: (path) => path, headers: [] };
  const authorization = proxy.authorization();
  return {
    path: (path) => origin + path,
    headers: [
      "host",
      new URL(origin).host,
      ...(authorization === undefined ? [] : ["proxy-authorization", authorization]),
    ],
  };
}
