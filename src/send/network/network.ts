import type { Proxy } from "./proxy.ts";

/** How a target is reached: through which proxy, and with which certificates. */
export interface Network {
  /** `undefined`: a direct connection. */
  readonly proxy: Proxy | undefined;
  readonly certificates: Certificates | undefined;
}

/** Certificates as PEM; `undefined`: those that come with Node, and none of our own. */
export interface Certificates {
  /** The authorities that are trusted, and no others. */
  readonly ca: string | undefined;
  /** The certificate that we present, with its key. */
  readonly own: { readonly cert: string; readonly key: () => string } | undefined;
}

/** A direct connection, with the certificates of Node. */
export const PLAIN_NETWORK: Network = { proxy: undefined, certificates: undefined };
