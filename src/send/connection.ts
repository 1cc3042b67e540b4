import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { buildConnector, Client as UndiciClient } from "undici";
import Client from "undici/lib/dispatcher/client.js";
import { createWay } from "./network/create-way.ts";
import type { Target } from "./target.ts";

/** undici closes a connection that is unused for this long, or for as long as the service says if that is less. */
const KEEP_ALIVE_MS = 4000;

/** The message of undici's error for an answer that comes while no request waits for one. */
const UNASKED_ANSWER = "bad response";
/** The name of its error for bytes that are not HTTP; it has no code. */
const NOT_HTTP = "HTTPParserError";

/** One connection to the service, used by one request at a time. */
export class Connection {
  readonly client: UndiciClient;
  /** The proxy on the way, for messages: ` through the proxy http://...`, or nothing. */
  readonly way: string;
  /** False once an answer came on it: since then the service may have closed it. */
  isFresh = true;
  /** True once bytes came that answer no request: the next answer may belong to an earlier request. */
  isOutOfStep = false;
  /** The error of the socket itself, such as a TLS alert; undici only reports that the connection ended. */
  socketError: Error | undefined;
  #usedAtMs = Date.now();

  constructor({ origin, network: { proxy } }: ConnectionTarget, connectSocket: buildConnector.connector) {
    this.way = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
    this.client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: 1000,
      // The caller times the request as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (to, done) =>
        connectSocket(to, (...outcome) => {
          if (outcome[1]) this.#begin(outcome[1]);
          done(...outcome);
        }),
    });
    this.client.on("disconnect", (_origin, _targets, { name, message }) => {
      if (!this.isFresh && (message === UNASKED_ANSWER || name === NOT_HTTP)) this.isOutOfStep = true;
    });
  }

  /** To be called when an answer is complete. */
  markUsed(): void {
    this.isFresh = false;
    this.#usedAtMs = Date.now();
  }

  /**
   * Milliseconds since it was opened or since its last answer, by the time of day: the monotonic clock stops while a
   * machine sleeps.
   */
  idleMs(): number {
    return Math.abs(Date.now() - this.#usedAtMs);
  }

  #begin(socket: Socket | TLSSocket): void {
    this.isFresh = true;
    this.#usedAtMs = Date.now();
    socket.once("error", (error) => (this.socketError = error));
  }
}

type ConnectionTarget = Pick<Target, "origin" | "network">;

/** Opens connections and keeps those that may serve another request. */
export class Connections {
  readonly #target: ConnectionTarget;
  readonly #connectSocket: buildConnector.connector;
  readonly #closing = new AbortController();
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();

  constructor(target: ConnectionTarget) {
    this.#target = target;
    // One for each tunnel that is being opened.
    setMaxListeners(0, this.#closing.signal);
    this.#connectSocket = createWay(target.origin, target.network, this.#closing.signal);
  }

  /** A kept connection that was idle for at most `maxIdleMs`, or else a new one. */
  take(maxIdleMs: number): Connection {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      if (one.idleMs() <= maxIdleMs) return one;
      this.drop(one);
    }
    return this.open();
  }

  /** A connection that was never used; it connects with its first request. */
  open(): Connection {
    const connection = new Connection(this.#target, this.#connectSocket);
    this.#all.add(connection);
    return connection;
  }

  keep(connection: Connection): void {
    this.#idle.push(connection);
  }

  drop(connection: Connection): void {
    this.#all.delete(connection);
    void connection.client.destroy();
  }

  async close(): Promise<void> {
    this.#idle.length = 0;
    this.#closing.abort();
    await Promise.all([...this.#all].map(({ client }) => client.destroy()));
    this.#all.clear();
  }
}
