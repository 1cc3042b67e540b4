import type { ClientTokens } from "./client-tokens.ts";
import type { FaultSet } from "./fault-set.ts";
import type { RequestKeys } from "./request-keys.ts";
import type { RequestLog } from "./request-log.ts";
import type { Store } from "./store.ts";
import type { ToldLimit } from "./told-limit.ts";

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
  /** The requests that were answered under a key; undefined if keys are not honoured. */
  readonly keys: RequestKeys | undefined;
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
