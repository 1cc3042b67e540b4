import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A record as a service received it. */
export type ReceivedRecord = Readonly<Record<string, string>>;

/** A record service that accepts everything and keeps it. */
export class RecordService {
  received: ReceivedRecord[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.received.push(...(JSON.parse(Buffer.concat(chunks).toString()) as ReceivedRecord[]));
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ msg: "Update Items OK." }));
      });
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

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
