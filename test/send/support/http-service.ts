import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { startServer } from "../../support/plain-server.ts";

/** A request as the service received it. */
interface Received {
  /** Counted from 1. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly records: readonly Readonly<Record<string, string>>[];
  readonly socket: Socket;
}

/** What the service does with a request. */
export type Behaviour = (request: Received, response: ServerResponse) => unknown;

export interface HttpService {
  readonly url: string;
  readonly port: number;
  readonly requests: Received[];
  /** The number of connections opened so far. */
  connections(): number;
  /** The most requests that were in flight at once. */
  mostAtOnce(): number;
}

/** A service on loopback that reads each request to its end before it reacts; closed at the end of the test. */
export async function startService(behave: Behaviour): Promise<HttpService> {
  const requests: Received[] = [];
  let open = 0;
  let mostAtOnce = 0;
  const { url, port, connections, close } = await startServer((request, stored, response) => {
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.once("close", () => {
      open -= 1;
    });
    const isPacked = request.headers["content-encoding"] === "gzip";
    const body = (isPacked ? gunzipSync(stored) : stored).toString();
    const received: Received = {
      number: requests.length + 1,
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      records: body.startsWith("[") || body.startsWith("{") ? recordsOf(body) : [],
      socket: request.socket,
    };
    requests.push(received);
    return behave(received, response);
  });
  onTestFinished(close);
  return { url, port, requests, connections, mostAtOnce: () => mostAtOnce };
}

function recordsOf(body: string): Received["records"] {
  const value = JSON.parse(body) as Received["records"] | { data: Received["records"] };
  return Array.isArray(value)
    ? (value as Received["records"])
    : (value as { data: Received["records"] }).data;
}

/** Answers with a JSON object that holds `msg`. */
export function answer(
  response: ServerResponse,
  status = 200,
  msg = status === 200 ? "Update Items OK." : `status ${status}`,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ msg }));
}

/** A port on which nothing listens. */
export async function deadPort(): Promise<number> {
  const { port, close } = await startServer(() => undefined);
  await close();
  return port;
}
