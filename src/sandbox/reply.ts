import type { ServerResponse } from "node:http";

/** A complete answer. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The end of a request: an answer, a cut connection, or nothing at all. */
export type Reply = Answer | { readonly kind: "drop" | "hang" };

/** An answer in JSON. */
export function answerJson(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { kind: "answer", status, contentType: "application/json", headers, body: JSON.stringify(value) };
}

/** An answer in the only shape that the specification has: `{"msg"}`. */
export function answerMsg(
  status: number,
  msg: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return answerJson(status, { msg }, headers);
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  if (reply.kind !== "answer") {
    if (reply.kind === "drop") response.destroy();
    return;
  }
  const { status, contentType, headers, body } = reply;
  // RFC 9110 sections 15.3.5 and 15.4.5: these two never have a body.
  const isBodiless = status === 204 || status === 304;
  response.writeHead(status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(isBodiless ? {} : { "content-length": Buffer.byteLength(body), "content-type": contentType }),
    ...headers,
  });
  response.end(isBodiless ? "" : body);
}

/** The answers that the interface specification names (section 7), word for word. */
export const specified = {
  ok: { status: 200, msg: "Update Items OK." },
  versionMissing: { status: 400, msg: "Please specify database version." },
  versionInvalid: { status: 400, msg: "Invalid database version." },
  invalidToken: { status: 401, msg: "Invalid API key." },
  internal: { status: 500, msg: "Something went wrong. Please try again later." },
} as const;
