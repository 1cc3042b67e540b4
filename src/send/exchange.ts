import type { IncomingHttpHeaders } from "undici/types/header.js";
import { MAX_ANSWER_BYTES } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { connectFault, lostFault, ownCertificateFault, type TransportFault } from "./transport-fault.ts";

/** A request. */
export interface Exchange {
  readonly method: "POST" | "HEAD";
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | null;
  readonly maxIdleMs: number;
  readonly timeoutMs: number;
  /** Scheme, host and port of the proxy on the way, for messages. */
  readonly via: string | undefined;
  /** Called right before the first byte leaves; told whether the connection is new. */
  readonly onSending?: ((isFresh: boolean) => void) | undefined;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly kind: "raw";
  readonly status: number;
  /** By names in small letters; of several with one name the first. */
  readonly header: (name: string) => string | undefined;
  /** As far as it was read. */
  readonly body: Buffer;
  readonly isWhole: boolean;
}

/** How a request on a connection ended. */
export interface ExchangeEnd {
  /** `too-idle`: given up before the first byte. */
  readonly result: RawAnswer | TransportFault | "too-idle";
  /** True if the connection may serve another request. */
  readonly isReusable: boolean;
}

/** More answers of status 1xx before the final one are a service gone wrong. */
const MAX_INFORMATIONAL = 100;

/** Sends one request on a connection. Rejects only for a fault of rec-push. Setting the signal cuts it off. */
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
      else fault("not-connected", "TIMEOUT", `no connection within ${exchange.timeoutMs / 1000} s${way}`);
    };
    const onCut = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("cut", "CUT", "cut off by a second signal before the answer came");
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
    cut.addEventListener("abort", onCut, { once: true });

    try {
      const { path, method, headers, body } = exchange;
      client.dispatch(
        { path, method, headers, body },
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
            // A status without the rest of its body says as much as the status.
            if (head !== undefined) answer(false);
            else end(hasBegun ? faultOf(error, connection) : connectFault(error));
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

function faultOf(error: Error, { isFresh, socketError }: Connection): TransportFault {
  const alert = isFresh ? socketError() : undefined;
  return (alert && ownCertificateFault(alert)) ?? lostFault(error);
}

function firstValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
