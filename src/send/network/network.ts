import type { Proxy } from "./proxy.ts";

/** How a target is reached: through which proxy, and with which certificates. */
export interface Network {
  /** `undefined`: straight. */
  readonly proxy: Proxy | undefined;
  readonly certificates: Certificates | undefined;
}

/** Certificates as PEM; `undefined`: those that Node brings, and none of our own. */
export interface Certificates {
  /** The authorities that are trusted, and no others. */
  readonly ca: string | undefined;
  /** The certificate that we show, with its key. */
  readonly own: { readonly cert: string; readonly key: () => string } | undefined;
}

/** Straight, with the certificates of Node. */
export const PLAIN_NETWORK: Network = { proxy: undefined, certificates: undefined };
