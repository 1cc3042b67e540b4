import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError } from "../model/failure.ts";
import {
  isLoopback,
  type LimitOptions,
  type RequestCounts,
  RequestKeys,
  RequestLog,
  type SandboxContext,
  ToldLimit,
} from "./context.ts";
import { type FaultRule, parseFault } from "./fault-rules.ts";
import { FaultSet } from "./fault-set.ts";
import { ClientTokens, type SandboxClient } from "./oauth.ts";
import { listener } from "./server.ts";
import { Store, type StoreView } from "./store.ts";

/** How a sandbox is started; every part has a default. */
export interface SandboxOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Required, with a token of your own, for a host that is not loopback. */
  readonly allowRemote?: boolean;
  /** Names that it answers to in addition to those of this machine: a proxy may lead to it. */
  readonly otherNames?: readonly string[];
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** `sandbox` by default. */
  readonly token?: string;
  /**
   * If given, a request must carry one of them as `database_version`: in a header, in the query, or in a member beside
   * `data`.
   */
  readonly dbVersions?: readonly string[];
  /** The tables that exist; without it any name makes one. */
  readonly tables?: readonly string[];
  /** Of the uncompressed body; 64 MiB by default. */
  readonly bodyLimitBytes?: number;
  /** Rules of misbehaviour, as text or parsed. */
  readonly faults?: readonly (FaultRule | string)[];
  /**
   * True, the default: a batch with a bad record is refused as a whole. False: the records before the bad one are
   * applied.
   */
  readonly atomic?: boolean;
  /** The client whose tokens are accepted at `/api/oauth2/items/TABLE/`; without it there is no OAuth. */
  readonly client?: SandboxClient;
  /** How long these tokens are valid; 60 s by default. */
  readonly tokenSeconds?: number;
  /** How many requests are accepted in how long; the answers announce it. */
  readonly limit?: LimitOptions;
  /** Milliseconds since 1970. */
  readonly nowMs?: () => number;
}

/** A running sandbox. */
export interface Sandbox {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly port: number;
  readonly store: StoreView;
  /** The number of tokens issued to the client so far. */
  tokensGiven(): number;
  /** Counts of the requests that would change something. */
  requests(): RequestCounts;
  /** Replaces all faults; throws a usage error for one that cannot be read. */
  setFaults(faults: readonly (FaultRule | string)[]): void;
  /** Cuts off what is in flight and releases the port; calling it again does nothing. */
  close(): Promise<void>;
}

/** The same as for the service whose documentation is public. */
const TOKEN_SECONDS = 60;
const defaultBodyLimitBytes = 64 * 1024 * 1024;

/** Starts the embedded service; throws RecPushError if an option is wrong or the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? "127.0.0.1";
  const token = options.token ?? "sandbox";
  checkOptions(options, host, token);
  const nowMs = options.nowMs ?? Date.now;
  const faults = new FaultSet(rulesOf(options.faults ?? []), nowMs);
  const store = new Store();
  for (const table of options.tables ?? []) store.create(table);
  const stop = new AbortController();
  const context: SandboxContext = {
    store,
    faults,
    log: new RequestLog(),
    token,
    clientTokens:
      options.client && new ClientTokens(options.client, options.tokenSeconds ?? TOKEN_SECONDS, nowMs),
    limit: options.limit && new ToldLimit(options.limit, nowMs),
    databaseVersions: options.dbVersions,
    tables: options.tables,
    keys: new RequestKeys(),
    bodyLimitBytes: options.bodyLimitBytes ?? defaultBodyLimitBytes,
    isAtomic: options.atomic ?? true,
    isLoopbackOnly: isLoopback(host),
    otherNames: options.otherNames ?? [],
    nowMs,
    stopped: stop.signal,
  };
  const server = createServer(listener(context));
  const port = await listen(server, host, options.port ?? 0);
  let closed: Promise<void> | undefined;
  return {
    url: `http://${reachable(host)}:${port}`,
    token,
    port,
    store,
    tokensGiven: () => context.clientTokens?.count ?? 0,
    requests: () => context.log.counts(),
    setFaults: (rules) => {
      faults.set(rulesOf(rules));
    },
    close: () => {
      stop.abort();
      closed ??= end(server);
      return closed;
    },
  };
}

function rulesOf(faults: readonly (FaultRule | string)[]): readonly FaultRule[] {
  return faults.map((fault) => (typeof fault === "string" ? parseFault(fault) : fault));
}

function checkOptions(options: SandboxOptions, host: string, token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usage("sandbox-token", "The sandbox's token must be ASCII without spaces, at least one character.");
  }
  if (options.dbVersions?.length === 0 || options.dbVersions?.includes("") === true) {
    throw usage(
      "sandbox-versions",
      "The sandbox's database versions must be at least one, and none of them empty.",
    );
  }
  if (isLoopback(host)) return;
  if (options.allowRemote !== true) {
    throw usage(
      "sandbox-remote",
      `The sandbox serves this machine only, and ${host} opens it to others.`,
      "--allow-remote, with a token of your own",
    );
  }
  if (options.token === undefined) {
    throw usage(
      "sandbox-remote-token",
      `On ${host} others reach the sandbox, and everybody knows its default token.`,
      "--token",
    );
  }
}

function usage(code: FailureCode, message: string, hint?: string): RecPushError {
  return new RecPushError("usage", code, message, hint === undefined ? {} : { hint });
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
      const message = `The sandbox cannot listen on ${host}, port ${port}: ${why}.`;
      reject(
        new RecPushError("usage", "sandbox-listen", message, {
          hint: "--port 0 takes any free port",
          cause: error,
        }),
      );
    });
    server.listen(port, host.replace(/^\[(.*)\]$/, "$1"), () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function reachable(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (bare === "0.0.0.0") return "127.0.0.1";
  if (bare === "::") return "[::1]";
  return bare.includes(":") ? `[${bare}]` : bare;
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
