import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** A complete answer. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The time over which the body is sent bit by bit, in milliseconds. */
  readonly slowBodyMs: number;
}

/** The end of a request: an answer, a long one in pieces, a cut connection, or nothing at all. */
export type Reply =
  | Answer
  | { readonly kind: "stream"; readonly contentType: string; readonly pieces: Iterable<string> }
  | { readonly kind: "drop" }
  /** Cut off after half of the answer's body. */
  | { readonly kind: "drop-midway"; readonly answer: Answer }
  | { readonly kind: "hang" };

/** An answer in JSON. */
export function answerJson(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body = JSON.stringify(value);
  return { kind: "answer", status, contentType: "application/json", headers, body, slowBodyMs: 0 };
}

/** An answer in the only shape that the specification has: `{"msg"}`. */
export function answerMsg(
  status: number,
  msg: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return answerJson(status, { msg }, headers);
}

/** Sends a reply. Rejects with an AbortError if `stopped` ends a slow one; if the client goes away, it ends quietly. */
export async function sendReply(response: ServerResponse, reply: Reply, stopped: AbortSignal): Promise<void> {
  switch (reply.kind) {
    case "hang":
      return;
    case "drop":
      response.destroy();
      return;
    case "drop-midway":
      writeHead(response, reply.answer);
      response.write(reply.answer.body.slice(0, Math.ceil(reply.answer.body.length / 2)), () =>
        response.destroy(),
      );
      return;
    case "stream":
      response.writeHead(200, { ...commonHeaders, "content-type": reply.contentType });
      await writePieces(response, reply.pieces);
      response.end();
      return;
    case "answer":
      writeHead(response, reply);
      if (reply.slowBodyMs > 0) await trickle(response, reply, stopped);
      else response.end(reply.body);
  }
}

const commonHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function writeHead(response: ServerResponse, answer: Answer): void {
  // RFC 9110 sections 15.3.5 and 15.4.5: these two never have a body.
  const isBodiless = answer.status === 204 || answer.status === 304;
  response.writeHead(answer.status, {
    ...commonHeaders,
    ...(isBodiless ? {} : { "content-length": Buffer.byteLength(answer.body) }),
    ...(isBodiless || answer.body === "" ? {} : { "content-type": answer.contentType }),
    ...answer.headers,
  });
}

async function writePieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.off("drain", goOn).off("close", goOn);
        resolve();
      };
      response.on("drain", goOn).on("close", goOn);
    });
  }
}

async function trickle(response: ServerResponse, answer: Answer, stopped: AbortSignal): Promise<void> {
  const steps = 10;
  const bytes = Buffer.from(answer.body);
  const length = Math.max(1, Math.ceil(bytes.length / steps));
  response.flushHeaders();
  for (let step = 0; step < steps; step += 1) {
    await wait(answer.slowBodyMs / steps, undefined, { signal: stopped });
    if (response.destroyed) return;
    response.write(bytes.subarray(step * length, (step + 1) * length));
  }
  response.end();
}

/** The answers that the interface specification names (section 7), word for word. */
export const specified = {
  ok: { status: 200, msg: "Update Items OK." },
  versionMissing: { status: 400, msg: "Please specify database version." },
  versionInvalid: { status: 400, msg: "Invalid database version." },
  invalidToken: { status: 401, msg: "Invalid API key." },
  internal: { status: 500, msg: "Something went wrong. Please try again later." },
} as const;
