import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { buildConnector, Client as UndiciClient } from "undici";
import Client from "undici/lib/dispatcher/client.js";
import { createWay, type WayOptions } from "./network/create-way.ts";

/** One connection to the service, used by one request at a time. */
export interface Connection {
  readonly client: UndiciClient;
  /** True until its first answer is complete. */
  readonly isFresh: boolean;
  /** Milliseconds since it was opened or since its last answer, including time asleep. */
  idleMs(): number;
  /** To be called when an answer is complete. */
  markUsed(): void;
  /** True once an answer came on it: since then the service may have closed it. */
  wasUsed(): boolean;
  /** True once bytes came that answer no request: the next answer on it may belong to an earlier request. */
  isOutOfStep(): boolean;
  /** The error of the socket itself, such as a TLS alert. */
  readonly socketError: () => Error | undefined;
  /** The date on which the other side's certificate expires, as Node writes it; `undefined` without TLS. */
  certificateEnd(): string | undefined;
}

/** Opens connections and keeps those that may serve another request. */
export interface Connections {
  /**
   * A kept connection that was idle for at most `maxIdleMs`, or else a new one, which connects with its first
   * request.
   */
  take(maxIdleMs: number): Connection;
  /** A connection that was never used. */
  open(): Connection;
  keep(connection: Connection): void;
  drop(connection: Connection): void;
  close(): Promise<void>;
}

/** undici closes a connection that is unused for this long, or for as long as the service says if that is less. */
const KEEP_ALIVE_MS = 4000;

/** The message of undici's error for an answer that comes while no request waits for one. */
const UNASKED_ANSWER = "bad response";
/** The name of its error for bytes that are not HTTP; it has no code. */
const NOT_HTTP = "HTTPParserError";

export function createConnections(options: WayOptions): Connections {
  const { origin, network } = options;
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const closing = new AbortController();
  // One for each tunnel that is being opened.
  setMaxListeners(0, closing.signal);
  const connectSocket = createWay(options, closing.signal);
  const isForwarded = network.proxy !== undefined && origin.startsWith("http:");

  const open = (): Connection => {
    let certificateEnd: string | undefined;
    let socketError: Error | undefined;
    const connect: buildConnector.connector = (to, done) =>
      connectSocket(to, (...outcome) => {
        if (outcome[1]) {
          const socket: Socket | TLSSocket = outcome[1];
          // Once the socket is closed, it no longer has it.
          certificateEnd = (socket as Partial<TLSSocket>).getPeerCertificate?.().valid_to;
          // undici reports the end that follows.
          socket.once("error", (error) => (socketError = error));
          passUnaskedContinue(socket);
        }
        done(...outcome);
      });
    const client = new Client(isForwarded ? network.proxy.origin : origin, {
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: 1000,
      // The caller times the request as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
    });
    let mark = readClocks();
    let wasUsed = false;
    let isOutOfStep = false;
    client.on("connect", () => {
      mark = readClocks();
      wasUsed = false;
    });
    client.on("disconnect", (_origin, _targets, { name, message }) => {
      if (wasUsed && (message === UNASKED_ANSWER || name === NOT_HTTP)) isOutOfStep = true;
    });
    let isFresh = true;
    const connection: Connection = {
      client,
      get isFresh() {
        return isFresh;
      },
      idleMs: () => msSince(mark),
      markUsed: () => {
        isFresh = false;
        mark = readClocks();
        wasUsed = true;
      },
      wasUsed: () => wasUsed,
      isOutOfStep: () => isOutOfStep,
      socketError: () => socketError,
      certificateEnd: () => certificateEnd,
    };
    all.add(connection);
    return connection;
  };

  const drop = (connection: Connection): void => {
    all.delete(connection);
    void connection.client.destroy();
  };

  return {
    take(maxIdleMs) {
      for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
        if (connection.idleMs() <= maxIdleMs) return connection;
        drop(connection);
      }
      return open();
    },
    open,
    keep: (connection) => idle.push(connection),
    drop,
    close: async () => {
      idle.length = 0;
      closing.abort();
      await Promise.all([...all].map(({ client }) => client.destroy()));
      all.clear();
    },
  };
}

interface Clocks {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** The monotonic clock stops while a machine sleeps, and the wall clock may be set, so both are read. */
function readClocks(): Clocks {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

function msSince({ steadyMs, wallMs }: Clocks): number {
  return Math.max(performance.now() - steadyMs, Math.abs(Date.now() - wallMs));
}

const CONTINUE = Buffer.from("HTTP/1.1 100");
const PROCESSING_DIGIT = "2".charCodeAt(0);

/**
 * Ignores a `100 Continue` that was not asked for: RFC 9110, 15.2, wants clients to read on, but undici gives up the
 * connection, which would leave a create in doubt for nothing. It is rewritten as `102 Processing`, which means as
 * little and is ignored.
 */
function passUnaskedContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => unknown;
  socket.read = (size?: number): unknown => {
    const chunk = read(size);
    if (Buffer.isBuffer(chunk) && chunk.subarray(0, CONTINUE.length).equals(CONTINUE)) {
      chunk[CONTINUE.length - 1] = PROCESSING_DIGIT;
    }
    return chunk;
  };
}
