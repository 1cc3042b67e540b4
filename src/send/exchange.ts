import type { IncomingHttpHeaders } from "undici/types/header.js";
import { MAX_ANSWER_BYTES } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { onAbort } from "./on-abort.ts";
import { connectFault, lostFault, ownCertificateFault, type TransportFault } from "./transport-fault.ts";

/** One HTTP request. */
export interface Exchange {
  readonly method: "POST" | "HEAD";
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | null;
  readonly maxIdleMs: number;
  readonly timeoutMs: number;
  /** Scheme, host and port of the proxy on the way, for messages. */
  readonly via: string | undefined;
  /** Called right before the first byte is sent, with whether the connection is new. */
  readonly onSending?: ((isFresh: boolean) => void) | undefined;
}

/** An answer as it was received. */
export interface RawAnswer {
  readonly kind: "raw";
  readonly status: number;
  /** By name in lower case; the first of several with one name. */
  readonly header: (name: string) => string | undefined;
  /** As much of it as was read. */
  readonly body: Buffer;
  readonly isWhole: boolean;
}

/** How a request on a connection ended. */
export interface ExchangeEnd {
  /** `too-idle`: given up before the first byte. */
  readonly result: RawAnswer | TransportFault | "too-idle";
  /** True if the connection may serve another request. */
  readonly isReusable: boolean;
  /** True if nothing of the request waits in this process to be written. */
  readonly isWritten: boolean;
}

/** More answers of status 1xx than this before the final one mean that the service is broken. */
const MAX_INFORMATIONAL = 100;

/** Sends one request on a connection. Rejects only for a defect of rec-push. Setting the signal cuts it off. */
export function exchangeOn(
  connection: Connection,
  exchange: Exchange,
  cut: AbortSignal,
): Promise<ExchangeEnd> {
  const { client } = connection;
  const way = exchange.via === undefined ? "" : ` through the proxy ${exchange.via}`;
  return new Promise((resolve, reject) => {
    // undici calls onRequestStart right before it hands the first byte to the socket, so until then nothing was written.
    let hasBegun = false;
    let head: Pick<RawAnswer, "status" | "header"> | undefined;
    let informational = 0;
    let receivedBytes = 0;
    const received: Buffer[] = [];
    let letGo: (() => void) | undefined;

    const end = (result: ExchangeEnd["result"], isReusable = false): void => {
      clearTimeout(timer);
      letGo?.();
      resolve({ result, isReusable, isWritten: isReusable && connection.isFlushed() });
    };
    const fault = (stage: TransportFault["stage"], code: string, message: string): void =>
      end({ kind: "fault", stage, code, message });
    const onTimeout = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("timeout", "TIMEOUT", `no answer within ${exchange.timeoutMs / 1000} s`);
      else fault("not-connected", "TIMEOUT", `no connection within ${exchange.timeoutMs / 1000} s${way}`);
    };
    const onCut = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("cut", "CUT", "cut off before its answer came");
      else fault("nothing-written", "CUT", "given up before it was sent");
    };
    const answer = (isWhole: boolean): void => {
      if (head === undefined) return;
      if (isWhole) connection.markUsed();
      end({ kind: "raw", ...head, body: Buffer.concat(received), isWhole }, isWhole);
    };

    const timer = setTimeout(onTimeout, exchange.timeoutMs);
    if (cut.aborted) {
      onCut();
      return;
    }
    letGo = onAbort(cut, onCut);

    try {
      const { path, method, headers, body } = exchange;
      client.dispatch(
        { path, method, headers, body },
        {
          onRequestStart(controller) {
            // Checked again here, because the process may have been held up since it took the connection.
            if (connection.idleMs() > exchange.maxIdleMs) {
              end("too-idle");
              controller.abort(new Error("idle"));
              return;
            }
            hasBegun = true;
            exchange.onSending?.(connection.isFresh);
          },
          onResponseStart(_controller, status, found) {
            if (status < 200) {
              informational += 1;
              if (informational > MAX_INFORMATIONAL)
                fault("lost", "FLOOD", "informational answers without end");
              return;
            }
            head = { status, header: (name) => firstValue(found, name) };
          },
          onResponseData(_controller, chunk) {
            received.push(chunk);
            receivedBytes += chunk.length;
            if (receivedBytes > MAX_ANSWER_BYTES) answer(false);
          },
          onResponseEnd: () => answer(true),
          onResponseError(_controller, error) {
            // If the rest of the body is missing, the status still counts.
            if (head !== undefined) answer(false);
            else end(hasBegun ? faultOf(error, connection) : connectFault(error));
          },
        },
      );
    } catch (error) {
      clearTimeout(timer);
      letGo();
      reject(error);
    }
  });
}

function faultOf(error: Error, { isFresh, socketError }: Connection): TransportFault {
  const alert = isFresh ? socketError() : undefined;
  return (alert && ownCertificateFault(alert)) ?? lostFault(error);
}

function firstValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
