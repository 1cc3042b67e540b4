import type { FaultSet } from "./fault-set.ts";
import type { RequestKeys, RequestLog, ToldLimit } from "./limits.ts";
import type { ClientTokens } from "./oauth.ts";
import type { Store } from "./store.ts";

/** Everything that the endpoints share. */
export interface SandboxContext {
  readonly store: Store;
  readonly faults: FaultSet;
  readonly log: RequestLog;
  readonly token: string;
  /** Tokens for clients; undefined if the sandbox has no OAuth. */
  readonly clientTokens: ClientTokens | undefined;
  /** Undefined if requests are not counted. */
  readonly limit: ToldLimit | undefined;
  /** Undefined if no version is required. */
  readonly databaseVersions: readonly string[] | undefined;
  /** The tables that exist; undefined if any name makes a table. */
  readonly tables: readonly string[] | undefined;
  /** The requests that were answered under a key that a fault had honoured. */
  readonly keys: RequestKeys;
  readonly bodyLimitBytes: number;
  /** False: the records before a bad one are applied even though the answer is 400. */
  readonly isAtomic: boolean;
  /** True: reading needs no token, and only a `Host` header of this machine is answered. */
  readonly isLoopbackOnly: boolean;
  /** Names that are answered in addition to those of this machine. */
  readonly otherNames: readonly string[];
  readonly nowMs: () => number;
  /** Ends all waits when the sandbox closes. */
  readonly stopped: AbortSignal;
}

/**
 * True for names and addresses that never leave this machine: `localhost`, 127.0.0.0/8, `::1`, in brackets or mapped
 * into IPv6 too.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare);
}

/**
 * True if a `Host` header names this machine. Otherwise a web page could read the sandbox through a name of its own
 * (DNS rebinding).
 */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && isLoopback(header.replace(/:\d+$/, ""));
}
