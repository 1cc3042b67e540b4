import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { answerMsg, type Answer } from "./reply.ts";

/** A request body as text, with its uncompressed size. */
export interface Body {
  readonly kind: "body";
  readonly text: string;
  readonly bytes: number;
}

const unpack = promisify(gunzip);

/**
 * Reads a body of at most `limitBytes`, compressed or not (gzip); otherwise returns the answer that refuses it.
 * Anything over the limit is read and discarded, so that the client gets the answer instead of a broken connection.
 * Throws if the client goes away.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Body | Answer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    return answerMsg(
      415,
      `The content-encoding ${JSON.stringify(encoding)} is not known; send gzip or none.`,
    );
  }
  const stored = await collect(request, limitBytes);
  if (stored === undefined) return tooLarge(limitBytes);
  if (encoding === "identity") return asText(stored);
  try {
    return asText(await unpack(stored, { maxOutputLength: limitBytes }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return tooLarge(limitBytes);
    return answerMsg(400, "The body is declared as gzip but is not.");
  }
}

async function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) chunks = [];
    else chunks.push(chunk);
  }
  return bytes > limitBytes ? undefined : Buffer.concat(chunks, bytes);
}

function asText(stored: Buffer): Body | Answer {
  if (!isUtf8(stored)) return answerMsg(400, "The body is not valid UTF-8.");
  return { kind: "body", text: stored.toString("utf8"), bytes: stored.length };
}

/** The answer to a body over the limit (RFC 9110 section 15.5.14). */
function tooLarge(limitBytes: number): Answer {
  return answerMsg(413, `The body is larger than ${limitBytes} bytes.`);
}
