import type { ClientTokens } from "./client-tokens.ts";
import type { FaultSet } from "./fault-set.ts";
import type { RequestKeys } from "./request-keys.ts";
import type { RequestLog } from "./request-log.ts";
import type { Store } from "./store.ts";
import type { ToldLimit } from "./told-limit.ts";

/** All that the endpoints share. */
export interface SandboxContext {
  readonly store: Store;
  readonly faults: FaultSet;
  readonly log: RequestLog;
  readonly token: string;
  /** Tokens for clients; undefined where the sandbox knows no OAuth. */
  readonly clientTokens: ClientTokens | undefined;
  /** Undefined where requests are not counted. */
  readonly limit: ToldLimit | undefined;
  /** Undefined where no version is asked for. */
  readonly databaseVersions: readonly string[] | undefined;
  /** The tables that exist; undefined where any name makes one. */
  readonly tables: readonly string[] | undefined;
  /** The requests that were answered under a key; undefined where keys are not honoured. */
  readonly keys: RequestKeys | undefined;
  readonly bodyLimitBytes: number;
  /** False: the records before a bad one are applied although the answer is 400. */
  readonly isAtomic: boolean;
  /** True: reading needs no token, and only a `Host` header of this machine is answered. */
  readonly isLoopbackOnly: boolean;
  /** Names beside those of this machine that are answered. */
  readonly otherNames: readonly string[];
  readonly nowMs: () => number;
  /** Ends all waits when the sandbox closes. */
  readonly stopped: AbortSignal;
}
