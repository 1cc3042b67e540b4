import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Fault } from "./draw-fault.ts";

type Received = Readonly<Record<string, string>>;

/** Draws the fate of the next request. */
export type NextFault = (isOfCreates: boolean) => Fault;

/** A record as it was applied; without a key it is a create. */
export interface AppliedRecord {
  readonly key: string | undefined;
  readonly number: string;
}

/**
 * A record service that misbehaves by a seed and logs every record it applied, in order. It applies a request the moment
 * it has all of it, or never: one that applied updates later, behind the back of a client that has given up, would bring
 * old values back, which no client can prevent.
 */
export class ChaosService {
  /** Every record it applied, in order. */
  readonly applied: AppliedRecord[] = [];
  /** Called when a request has arrived as a whole, before it is applied or answered. */
  readonly onRequest = new Set<() => void>();
  /** True: no more faults, every answer is a 200. */
  isCalm = false;
  readonly #nextFault: NextFault;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #whenEmpty: (() => void)[] = [];

  private constructor(nextFault: NextFault) {
    this.#nextFault = nextFault;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      void this.#serve(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
      });
    });
  }

  static async start(nextFault: NextFault): Promise<ChaosService> {
    const service = new ChaosService(nextFault);
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when no more requests of a client that has ended can arrive. */
  async settled(): Promise<void> {
    if (this.#sockets.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const records = JSON.parse(Buffer.concat(chunks).toString()) as readonly Received[];
    for (const listener of this.onRequest) listener();
    const fault = this.isCalm ? CALM : this.#nextFault(records.some(({ cle }) => cle === undefined));
    if (fault.applies && records.some(({ etat }) => etat === "bad")) {
      await sleep(fault.delayMs);
      answer(response, 400, "one of these records is bad, none was applied");
      return;
    }
    if (fault.applies) this.#apply(records);
    await sleep(fault.delayMs);
    await misbehave(fault, request, response);
  }

  #apply(records: readonly Received[]): void {
    for (const { cle, num_commande: number = "" } of records) {
      this.applied.push({ key: cle, number });
    }
  }
}

const CALM: Fault = { applies: true, delayMs: 0, how: "answer", status: 200 };

async function misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (fault.how) {
    case "answer":
      answer(response, fault.status, `status ${fault.status}`);
      break;
    case "slow":
      response.writeHead(200, { "content-type": "application/json", "content-length": OK.length });
      for (const byte of OK) {
        response.write(byte);
        await sleep(1);
      }
      response.end();
      break;
    case "cutBody":
      response.writeHead(200, { "content-type": "application/json", "content-length": OK.length });
      response.write(OK.slice(0, 10));
      await sleep(2);
      request.socket.destroy();
      break;
    case "drop":
      request.socket.destroy();
      break;
    case "silence":
      // No answer: the client's own time-out ends the request.
      break;
  }
}

const OK = JSON.stringify({ msg: "Update Items OK." });

function answer(response: ServerResponse, status: number, msg: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 429 ? { "retry-after": "0" } : {}),
  });
  response.end(status === 200 ? OK : JSON.stringify({ msg }));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
