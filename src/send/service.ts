import { setImmediate as nextTurn } from "node:timers/promises";
import type { RecordKind } from "../model/record.ts";
import { MAX_ANSWER_BYTES, readBody, type Answer } from "./answer.ts";
import { createConnections, type Connection } from "./connection.ts";
import { packBody, type Compression } from "./request-body.ts";
import type { Target } from "./target.ts";
import { connectFault, lostFault, type TransportFault } from "./transport-fault.ts";

/** The service's one operation. */
export interface Service {
  /**
   * Posts one body. Whatever becomes of it is a value; it rejects only for a fault of rec-push. Setting the signal cuts
   * the request off. `onSending` is called right before the first byte leaves, and told whether the connection is new;
   * `key` is the value of its Idempotency-Key header.
   */
  post(
    body: Buffer,
    kind: RecordKind,
    cut: AbortSignal,
    onSending?: (isFresh: boolean) => void,
    key?: string,
  ): Promise<Answer | TransportFault>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly target: Target;
  /** Milliseconds from connecting to the last byte of the answer; `undefined`: by kind. */
  readonly timeoutMs: number | undefined;
  readonly userAgent: string;
  readonly compress?: Compression | undefined;
}

const TIMEOUT_MS: Readonly<Record<RecordKind, number>> = { update: 60_000, create: 300_000 };

/**
 * A server may close an idle connection just while a request leaves on it. An update is then tried again; a create would
 * be in doubt for nothing, so it goes out only on a connection that was busy a moment ago.
 */
const MAX_IDLE_MS: Readonly<Record<RecordKind, number>> = { update: 4000, create: 900 };

/** More answers of status 1xx before the final one are a service gone wrong. */
const MAX_INFORMATIONAL = 100;

/** Compressed answers are not asked for, and may be bombs. */
const UNREAD = { msg: undefined, text: "the answer is compressed, which was not asked for" };

export function createService({ target, timeoutMs, userAgent, compress }: ServiceOptions): Service {
  const connectTimeoutMs = Math.min(timeoutMs ?? 10_000, 10_000);
  const connections = createConnections({ origin: target.origin, connectTimeoutMs });
  const headers = [...target.requestHeaders()];
  if (!headers.includes("user-agent")) headers.push("user-agent", userAgent);
  if (compress !== undefined) headers.push("content-encoding", compress);
  const path = target.requestPath();
  /** False once a connection was lost that had served before: from then on creates take new ones. */
  let isKeepingTrusted = true;
  /** False once an answer came twice: from then on every request takes a new one, so that no answer goes to a wrong request. */
  let isInStep = true;

  const takeFor = async (kind: RecordKind): Promise<Connection> => {
    if (!isInStep || (kind === "create" && !isKeepingTrusted)) return connections.open();
    const connection = connections.take(MAX_IDLE_MS[kind]);
    if (!connection.wasUsed()) return connection;
    // A service that closes a connection with its answer, without saying so, or answers twice is found out by then.
    await pollTurn();
    if (!connection.isOutOfStep()) return connection;
    isInStep = false;
    connections.drop(connection);
    return connections.open();
  };

  return {
    async post(body, kind, cut, onSending, key) {
      const exchange = {
        path,
        headers: key === undefined ? headers : [...headers, "idempotency-key", key],
        body: compress === undefined ? body : await packBody(body, compress),
        maxIdleMs: MAX_IDLE_MS[kind],
        timeoutMs: timeoutMs ?? TIMEOUT_MS[kind],
        onSending,
      };
      const taken = await takeFor(kind);
      let end = await postOn(taken, exchange, cut);
      let connection = taken;
      if (end.result === "too-idle") {
        connections.drop(taken);
        connection = connections.open();
        end = await postOn(connection, exchange, cut);
      }
      if (connection.wasUsed() && isLost(end)) isKeepingTrusted = false;
      if (connection.isOutOfStep()) isInStep = false;
      if (end.isReusable && isInStep) connections.keep(connection);
      else connections.drop(connection);
      if (end.result !== "too-idle") return end.result;
      return {
        kind: "fault",
        stage: "nothing-written",
        code: "IDLE",
        message: "the connection was idle for too long",
      };
    },
    close: () => connections.close(),
  };
}

interface Exchange {
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer;
  readonly maxIdleMs: number;
  readonly timeoutMs: number;
  readonly onSending: ((isFresh: boolean) => void) | undefined;
}

interface ExchangeEnd {
  /** `too-idle`: given up before the first byte. */
  readonly result: Answer | TransportFault | "too-idle";
  readonly isReusable: boolean;
}

/** Resolves after what had arrived on any connection was read: the second turn begins after a poll in between. */
async function pollTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function isLost({ result }: ExchangeEnd): boolean {
  return result !== "too-idle" && result.kind === "fault" && result.stage === "lost";
}

function postOn(connection: Connection, exchange: Exchange, cut: AbortSignal): Promise<ExchangeEnd> {
  const { client } = connection;
  return new Promise((resolve, reject) => {
    // undici calls onRequestStart right before it hands the first byte to the socket, so until then nothing was written.
    let hasBegun = false;
    let head: Omit<Answer, "msg" | "text"> | undefined;
    let isEncoded = false;
    let informational = 0;
    let receivedBytes = 0;
    const received: Buffer[] = [];

    const end = (result: ExchangeEnd["result"], isReusable = false): void => {
      clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
      resolve({ result, isReusable });
    };
    const fault = (stage: TransportFault["stage"], code: string, message: string): void =>
      end({ kind: "fault", stage, code, message });
    const onTimeout = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("timeout", "TIMEOUT", `no answer within ${exchange.timeoutMs / 1000} s`);
      else fault("not-connected", "TIMEOUT", `no connection within ${exchange.timeoutMs / 1000} s`);
    };
    const onCut = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("cut", "CUT", "cut off by a second signal before the answer came");
      else fault("nothing-written", "CUT", "given up before it was sent");
    };
    const answer = (isWhole: boolean): void => {
      if (head === undefined) return;
      if (isWhole) connection.markUsed();
      const read = isEncoded ? UNREAD : readBody(Buffer.concat(received), isWhole);
      end({ ...head, ...read }, isWhole);
    };

    const timer = setTimeout(onTimeout, exchange.timeoutMs);
    if (cut.aborted) {
      onCut();
      return;
    }
    cut.addEventListener("abort", onCut, { once: true });

    try {
      client.dispatch(
        { path: exchange.path, method: "POST", headers: exchange.headers, body: exchange.body },
        {
          onRequestStart(controller) {
            // Looked at again here: between taking the connection and this moment the process may have been held up.
            if (connection.idleMs() > exchange.maxIdleMs) {
              end("too-idle");
              controller.abort(new Error("idle"));
              return;
            }
            hasBegun = true;
            exchange.onSending?.(connection.isFresh);
          },
          onResponseStart(_controller, status, headers) {
            if (status < 200) {
              informational += 1;
              if (informational > MAX_INFORMATIONAL)
                fault("lost", "FLOOD", "informational answers without end");
              return;
            }
            const encoding = firstValue(headers["content-encoding"])?.trim().toLowerCase();
            isEncoded = encoding !== undefined && encoding !== "" && encoding !== "identity";
            head = {
              kind: "answer",
              status,
              retryAfter: firstValue(headers["retry-after"]),
              location: firstValue(headers["location"]),
            };
          },
          onResponseData(_controller, chunk) {
            received.push(chunk);
            receivedBytes += chunk.length;
            if (receivedBytes > MAX_ANSWER_BYTES) answer(false);
          },
          onResponseEnd: () => answer(true),
          onResponseError(_controller, error) {
            // A status without the rest of its body says as much as the status.
            if (head !== undefined) answer(false);
            else end(hasBegun ? lostFault(error) : connectFault(error));
          },
        },
      );
    } catch (error) {
      clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
      reject(error);
    }
  });
}

function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
