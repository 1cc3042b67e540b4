import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gunzipSync } from "node:zlib";

/**
 * What happens to the requests from the n-th of a command on: they are answered with a status and nothing is applied, the
 * connection is cut, the process is killed, or it gets a signal and then a good answer. "After" is after the records were applied.
 */
export interface Fate {
  readonly from: number;
  readonly until: number;
  readonly how:
    | { readonly status: number; readonly msg?: string }
    | "drop before"
    | "drop after"
    | "kill before"
    | "kill after"
    | NodeJS.Signals;
}

/** A record as the service received it; without `cle` it is a create. */
export type ReceivedRecord = Readonly<Record<string, unknown>>;

/** A request as the service received it. */
export interface Received {
  /** Path, query, and the header that makes a repeated request harmless. */
  readonly target: string;
  readonly records: readonly ReceivedRecord[];
  readonly isApplied: boolean;
}

export const TOKEN = "a-token-of-the-oracle";
/** A record with this text in any field is refused, and with it its whole batch. */
export const REFUSED = "refused-by-the-service";
const GOOD = "Update Items OK.";
/** A signal arrives long before an answer that is sent this much later. */
const SIGNAL_MS = 250;

/** A service that notes each request, and does to it what was planned: the same to each build. */
export class RecordService {
  readonly received: Received[] = [];
  #fates: readonly Fate[] = [];
  #kill: ((signal: NodeJS.Signals) => void) | undefined;
  #count = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#serve(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<RecordService> {
    const service = new RecordService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Begins a command, whose requests are counted from 1 and whose process gets the signals. */
  begin(fates: readonly Fate[], kill?: (signal: NodeJS.Signals) => void): void {
    [this.#kill, this.#fates, this.#count] = [kill, fates, 0];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { headers, url = "", method = "" } = request;
    const answer = (status: number, msg: string): void => {
      const wait = status === 429 ? { "retry-after": "0" } : {};
      response.writeHead(status, { "content-type": "application/json", ...wait });
      response.end(JSON.stringify({ msg }));
    };
    const stored = Buffer.concat(chunks);
    const text = (headers["content-encoding"] === "gzip" ? gunzipSync(stored) : stored).toString();
    const target = `${method} ${url}${headers["idempotency-key"] === undefined ? "" : " with a key"}`;
    const isKnown = headers["access_token"] === TOKEN || headers.authorization === `Bearer ${TOKEN}`;
    if (!isKnown || method !== "POST") return answer(isKnown ? 405 : 401, "not a POST with the token");
    const body = JSON.parse(text) as readonly ReceivedRecord[] | { readonly data: readonly ReceivedRecord[] };
    const records = "data" in body ? body.data : body;
    const at = ++this.#count;
    const how = this.#fates.find(({ from, until }) => at >= from && at <= until)?.how ?? { status: 200 };
    const isRefused = text.includes(REFUSED);
    const note = (isApplied: boolean): void => {
      this.received.push({ target, records, isApplied: isApplied && !isRefused });
    };
    if (typeof how !== "string") {
      note(how.status === 200);
      if (isRefused && how.status === 200) answer(400, `${REFUSED}: nothing was applied`);
      else answer(how.status, how.msg ?? (how.status === 200 ? GOOD : `status ${how.status}`));
    } else if (how.startsWith("SIG")) {
      this.#kill?.(how as NodeJS.Signals);
      await new Promise((resolve) => setTimeout(resolve, SIGNAL_MS));
      note(true);
      answer(isRefused ? 400 : 200, GOOD);
    } else {
      note(how.endsWith("after"));
      if (how.startsWith("kill")) this.#kill?.("SIGKILL");
      else request.socket.destroy();
    }
  }
}
