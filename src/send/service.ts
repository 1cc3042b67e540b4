import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { RecordKind, RecordList } from "../model/settlement.ts";
import { type Connection, Connections } from "./connection.ts";
import { exchangeOn, type RawAnswer, type TransportFault } from "./exchange.ts";
import { parseToldQuotas } from "./limit/told-limit.ts";
import type { SendSettings } from "./settings.ts";
import { type Answer, readBody } from "./success.ts";
import type { Target } from "./target.ts";

/** The service's one operation. */
export interface Service {
  /**
   * Posts one body. Any end of the request is returned as a value; it rejects only for a defect of rec-push. Setting
   * the signal cuts the request off. `onSending` is called right before the first byte is sent, with whether the
   * connection is new, and nothing is sent if it returns false; `key` is the value of its Idempotency-Key header,
   * `token` the token that was fetched for it.
   */
  post(
    body: Buffer,
    kind: RecordKind,
    cut: AbortSignal,
    onSending?: (isFresh: boolean) => boolean,
    key?: string,
    token?: string,
  ): Promise<Answer | TransportFault>;
  close(): Promise<void>;
}

const TIMEOUT_MS: Readonly<Record<RecordKind, number>> = { update: 60_000, create: 300_000 };

/**
 * A server may close an idle connection at the moment when a request is sent on it. An update is then tried again; a
 * create would be in doubt for nothing, so it goes out only on a connection that was busy a moment ago.
 */
const MAX_IDLE_MS: Readonly<Record<RecordKind, number>> = { update: 4000, create: 900 };

/** Compressed answers are not asked for, and may be decompression bombs. */
const UNREAD = {
  msg: undefined,
  text: "the answer is compressed, although the request asked for plain text",
};

export function createService(
  target: Target,
  { timeoutMs, userAgent, compress }: Pick<SendSettings, "timeoutMs" | "userAgent" | "compress">,
): Service {
  const connections = new Connections(target);
  /** False once a connection that had already served a request was lost: from then on creates use new connections. */
  let isKeepingTrusted = true;
  /**
   * False once an answer came twice: from then on every request uses a new connection, so that no request gets the
   * answer to another.
   */
  let isInStep = true;

  const takeFor = async (kind: RecordKind): Promise<Connection> => {
    // After this wait it is clear whether the service closed a connection with its answer, or answered twice. The idle
    // time of a connection is measured after it, because the process may be held up.
    await pollTurn();
    if (!isInStep || (kind === "create" && !isKeepingTrusted)) return connections.open();
    const connection = connections.take(MAX_IDLE_MS[kind]);
    if (!connection.isOutOfStep) return connection;
    isInStep = false;
    connections.drop(connection);
    return connections.open();
  };

  return {
    async post(body, kind, cut, onSending, key, token) {
      const headers = [...target.requestHeaders(token)];
      if (!headers.includes("user-agent")) headers.push("user-agent", userAgent);
      if (compress !== undefined) headers.push("content-encoding", compress);
      if (key !== undefined) headers.push("idempotency-key", key);
      const exchange = {
        method: "POST" as const,
        path: target.requestPath(),
        headers,
        body: compress === undefined ? body : await pack(body, PACKING),
        timeoutMs: timeoutMs ?? TIMEOUT_MS[kind],
        onSending,
      };
      const connection = await takeFor(kind);
      const end = await exchangeOn(connection, exchange, cut);
      if (!connection.isFresh && end.kind === "fault" && end.stage === "lost") isKeepingTrusted = false;
      if (connection.isOutOfStep) isInStep = false;
      if (end.kind === "raw" && end.isWhole && isInStep) connections.keep(connection);
      else connections.drop(connection);
      return end.kind === "raw" ? readAnswer(end) : end;
    },
    close: () => connections.close(),
  };
}

/**
 * Resolves after everything that had arrived on any connection was read: the event loop polls before the second turn.
 */
function pollTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function readAnswer({ status, header, body, isWhole }: RawAnswer): Answer {
  const encoding = header("content-encoding")?.trim().toLowerCase() ?? "";
  const isEncoded = encoding !== "" && encoding !== "identity";
  return {
    kind: "answer",
    status,
    retryAfter: header("retry-after"),
    location: header("location"),
    quotas: parseToldQuotas(header, Date.now()),
    ...(isEncoded ? UNREAD : readBody(body, isWhole)),
  };
}

const COMMA = Buffer.from(",");

/** The body that carries these records, in UTF-8. */
export function buildBody(records: RecordList, { before, after }: Target["envelope"]): Buffer {
  const pieces: Buffer[] = [Buffer.from(before)];
  for (const { of, from, to } of records.stretches) {
    if (pieces.length > 1) pieces.push(COMMA);
    pieces.push(of.text.subarray(of.start(from), of.start(to - 1) + of.bytes(to - 1)));
  }
  pieces.push(Buffer.from(after));
  return Buffer.concat(pieces);
}

/** The part of a body that holds the records. */
export function recordsIn(body: Buffer, { before, after }: Target["envelope"]): Buffer {
  return body.subarray(Buffer.byteLength(before), body.length - Buffer.byteLength(after));
}

/** Bytes of a body without any record. */
export function envelopeBytes({ before, after }: Target["envelope"]): number {
  return Buffer.byteLength(before) + Buffer.byteLength(after);
}

/** Off the main thread. */
const pack = promisify(gzip);

/** Records shrink to a seventh; higher levels reach a ninth and take up to thirty times as long. */
const PACKING = { level: constants.Z_BEST_SPEED };
