import type { IncomingHttpHeaders } from "undici/types/header.js";
import { type Connection, Connections } from "./connection.ts";
import { ProxyError } from "./network/create-way.ts";
import { MAX_ANSWER_BYTES } from "./success.ts";
import type { Target } from "./target.ts";

/** One HTTP request. */
interface Exchange {
  readonly method: "POST" | "HEAD";
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | null;
  readonly timeoutMs: number;
  /**
   * Called right before the first byte is sent; the argument says whether the connection is new. If it returns false,
   * nothing is sent.
   */
  readonly onSending?: ((isFresh: boolean) => boolean) | undefined;
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

/** How a request on a connection ended: the connection may serve another one after a whole answer. */
type ExchangeEnd = RawAnswer | TransportFault;

/** Sends one request on a connection. Rejects only for a defect of rec-push. Setting the signal cuts it off. */
export function exchangeOn(
  connection: Connection,
  exchange: Exchange,
  cut: AbortSignal,
): Promise<ExchangeEnd> {
  const { client } = connection;
  return new Promise((resolve, reject) => {
    // undici calls onRequestStart right before it hands the first byte to the socket, so until then nothing was written.
    let hasBegun = false;
    let head: Pick<RawAnswer, "status" | "header"> | undefined;
    let receivedBytes = 0;
    const received: Buffer[] = [];

    const end = (result: ExchangeEnd): void => {
      clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
      resolve(result);
    };
    const fault = (stage: TransportFault["stage"], code: string, message: string): void =>
      end({ kind: "fault", stage, code, message });
    const onTimeout = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("timeout", "TIMEOUT", `no answer within ${exchange.timeoutMs / 1000} s`);
      else
        fault(
          "not-connected",
          "TIMEOUT",
          `no connection within ${exchange.timeoutMs / 1000} s${connection.way}`,
        );
    };
    const onCut = (): void => {
      if (head !== undefined) answer(false);
      else if (hasBegun) fault("cut", "CUT", "cut off before its answer came");
      else fault("nothing-written", "CUT", "given up before it was sent");
    };
    const answer = (isWhole: boolean): void => {
      if (head === undefined) return;
      if (isWhole) connection.markUsed();
      end({ kind: "raw", ...head, body: Buffer.concat(received), isWhole });
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
            hasBegun = exchange.onSending?.(connection.isFresh) ?? true;
            if (hasBegun) return;
            onCut();
            controller.abort(new Error("given up before it was sent"));
          },
          onResponseStart(_controller, status, found) {
            if (status >= 200) head = { status, header: (name) => firstValue(found, name) };
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
            else end(hasBegun ? lostFault(error, connection) : connectFault(error));
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

/** Sends one request on a connection of its own. */
export async function exchangeOnce(
  target: Target,
  exchange: Exchange,
  cut: AbortSignal,
): Promise<ExchangeEnd> {
  const connections = new Connections(target);
  const end = await exchangeOn(connections.open(), exchange, cut);
  await connections.close();
  return end;
}

function firstValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Why no answer came. */
export interface TransportFault {
  readonly kind: "fault";
  /**
   * How far the request got. `not-connected`, `unknown-host`, `no-tls`, `proxy`, `certificate` and `nothing-written`: not a
   * byte of it was sent. `own-certificate`: the service broke off the handshake because of our certificate, and read
   * nothing. `lost` and `timeout`: sending had begun, and the service may have applied it. `cut`: like `lost`, but cut off
   * by us.
   */
  readonly stage:
    | "not-connected"
    | "unknown-host"
    | "no-tls"
    | "proxy"
    | "certificate"
    | "own-certificate"
    | "nothing-written"
    | "lost"
    | "timeout"
    | "cut";
  /** The code that Node or undici gives: `ECONNREFUSED`, `UND_ERR_SOCKET`. */
  readonly code: string;
  /** One clause for the user, in our words. */
  readonly message: string;
  /** The message of Node or undici, which may contain text from the service. */
  readonly detail?: string | undefined;
}

/** The meaning of each code of Node, OpenSSL and undici; the stage is that of an error while connecting. */
const NETWORK_ERRORS: readonly (readonly [code: RegExp, stage: TransportFault["stage"], words: string])[] = [
  [
    /^(ERR_TLS_CERT_|CERT_|CRL_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|ERROR_IN_(CERT|CRL)_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)/,
    "certificate",
    "the certificate does not verify",
  ],
  // TLS alerts about a client's certificate (RFC 8446, 6.2).
  [
    /^ERR_SSL_(TLSV13_ALERT_CERTIFICATE_REQUIRED|(TLSV1|SSLV3)_ALERT_(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA))$/,
    "own-certificate",
    "the service refuses our client certificate, or wants one",
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    "no-tls",
    "the server there does not speak https",
  ],
  [
    /^ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE$/,
    "not-connected",
    "the other side broke off the TLS handshake (it may want a client certificate: --cert)",
  ],
  [/^ENOTFOUND$/, "unknown-host", "the host name is unknown (DNS)"],
  [/^EAI_AGAIN$/, "not-connected", "the host name could not be looked up (DNS does not answer)"],
  [/^ECONNREFUSED$/, "not-connected", "nothing listens there (connection refused)"],
  [/^E(HOST|NET)UNREACH$/, "not-connected", "no route to that host"],
  [/^ECONNRESET$/, "not-connected", "the connection was reset"],
  [/^EPIPE$/, "not-connected", "the connection was closed while sending"],
  [/^ETIMEDOUT$/, "not-connected", "the connection timed out"],
  [/^UND_ERR_(CONNECT|HEADERS)_TIMEOUT$/, "not-connected", "no answer in time"],
  [/^UND_ERR_SOCKET$/, "not-connected", "the connection was closed"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "not-connected", "the headers of the answer are too large"],
  [
    /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/,
    "not-connected",
    "the answer contradicts itself about its length",
  ],
  [/^ERR_ASSERTION$/, "not-connected", "the answer is not HTTP/1.1"],
];

/** Turns an error while connecting, when nothing was written yet, into a fault. */
export function connectFault(error: unknown): TransportFault {
  if (!(error instanceof ProxyError)) return faultOf(error);
  const { message, status, cause } = error;
  // If the proxy answered, a later try may succeed, unless it refused. A fault that waiting does not end stops the run.
  if (status !== undefined) {
    const isRefusal = status >= 300 && status < 500 && status !== 408 && status !== 429;
    return { kind: "fault", stage: isRefusal ? "proxy" : "not-connected", code: `PROXY_${status}`, message };
  }
  const { stage, code, message: why } = faultOf(cause);
  return {
    kind: "fault",
    stage: stage === "not-connected" ? stage : "proxy",
    code,
    message: `${message}: ${why}`,
  };
}

/**
 * Turns an error that came after sending began into a fault. In TLS 1.3 the alert about our certificate arrives after
 * the first request of a connection was sent, but a service reads none of it before the handshake is complete.
 */
export function lostFault(
  error: unknown,
  { isFresh, socketError }: Pick<Connection, "isFresh" | "socketError">,
): TransportFault {
  const alert = isFresh ? faultOf(socketError) : undefined;
  return alert?.stage === "own-certificate" ? alert : { ...faultOf(error), stage: "lost" };
}

function faultOf(error: unknown): TransportFault {
  const code = errorCode(error);
  const [, stage = "not-connected", words] = NETWORK_ERRORS.find(([pattern]) => pattern.test(code)) ?? [];
  const text = error instanceof Error && error.message !== "" ? error.message : undefined;
  // Texts of OpenSSL hold memory addresses and source lines, different in each message.
  const isUseless =
    text?.includes(":SSL routines:") === true || (words !== undefined && text?.includes("\n"));
  const message = words ?? `the connection failed (${code})`;
  return { kind: "fault", stage, code, message, detail: isUseless === true ? undefined : text };
}

/** The code of an error, or of the first one inside it: connecting tries several addresses. */
function errorCode(error: unknown): string {
  const { code, errors } = (error ?? {}) as { readonly code?: unknown; readonly errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) && errors.length > 0 ? errorCode(errors[0]) : "UNKNOWN";
}
