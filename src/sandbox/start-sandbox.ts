import { setMaxListeners } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { RecPushError } from "../model/failure.ts";
import { FaultSet } from "./faults.ts";
import { ClientTokens, type SandboxClient } from "./oauth.ts";
import { type LimitOptions, RequestKeys, RequestWindow } from "./requests.ts";
import { listener, type RequestCounts, type SandboxContext } from "./server.ts";
import { Store, type StoreView } from "./store.ts";

/** How a sandbox is started; every part has a default. */
export interface SandboxOptions {
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
  /** Rules of misbehaviour. */
  readonly faults?: readonly string[];
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
  requests(): Readonly<RequestCounts>;
  /** Replaces all faults; throws a usage error for one that cannot be read. */
  setFaults(faults: readonly string[]): void;
  /** Cuts off what is in flight and releases the port; calling it again does nothing. */
  close(): Promise<void>;
}

/** Only this machine reaches it. */
const HOST = "127.0.0.1";
/** As long as those of the service whose documentation is public. */
const TOKEN_SECONDS = 60;

/** Starts the embedded service; throws RecPushError if an option is wrong or the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { token = "sandbox", nowMs = Date.now, client, limit, dbVersions, otherNames = [] } = options;
  checkOptions(token, dbVersions);
  const stop = new AbortController();
  // One for each request that waits.
  setMaxListeners(0, stop.signal);
  const context: SandboxContext = {
    store: new Store(),
    faults: new FaultSet(options.faults ?? [], nowMs),
    counts: { requests: 0, statuses: {} },
    token,
    clientTokens: client && new ClientTokens(client, options.tokenSeconds ?? TOKEN_SECONDS, nowMs),
    limit: limit && new RequestWindow(limit, nowMs),
    databaseVersions: dbVersions,
    keys: new RequestKeys(),
    otherNames,
    stopped: stop.signal,
  };
  const server = createServer(listener(context));
  const port = await listen(server, options.port ?? 0);
  let closed: Promise<void> | undefined;
  return {
    url: `http://${HOST}:${port}`,
    token,
    port,
    store: context.store,
    tokensGiven: () => context.clientTokens?.count ?? 0,
    requests: () => structuredClone(context.counts),
    setFaults: (rules) => context.faults.set(rules),
    close: () => {
      stop.abort();
      closed ??= end(server);
      return closed;
    },
  };
}

function checkOptions(token: string, dbVersions: readonly string[] | undefined): void {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const message = "The sandbox's token must be ASCII without spaces, at least one character.";
    throw new RecPushError("bad-option-value", message);
  }
  if (dbVersions?.length === 0 || dbVersions?.includes("") === true) {
    const message = "The sandbox's database versions must be at least one, and none of them empty.";
    throw new RecPushError("bad-option-value", message);
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
      const message = `The sandbox cannot listen on ${HOST}, port ${port}: ${why}.`;
      const hint = "--port 0 takes any free port";
      reject(new RecPushError("sandbox-listen", message, { hint, cause: error }));
    });
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
