import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Cells } from "./shop.ts";

/** The possible fates of a request. */
export type NightFault =
  "lost answer" | "not applied" | "500" | "500 applied" | "503" | "half applied" | "late answer";

/** A fault of a command's n-th request, or of that and all later ones. */
export interface FaultPlan {
  readonly fault: NightFault;
  readonly atRequest: number;
  readonly isRepeated: boolean;
}

/** A kill at the n-th request: before it is applied, after that, or after the answer. */
export interface RequestKill {
  readonly atRequest: number;
  readonly stage: "before" | "applied" | "answered";
  readonly afterMs: number;
}

/** A record service that keeps all records, equal ones too, and misbehaves for one command as planned. */
export class NightService {
  /** All records that it holds. */
  readonly held: Cells[] = [];
  /** The number of creates received, applied or not. */
  arrivals = 0;
  faults: FaultPlan | undefined;
  kill: (RequestKill & { readonly process: () => void }) | undefined;
  #requests = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #whenEmpty: (() => void)[] = [];

  private constructor() {
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

  static async start(): Promise<NightService> {
    const service = new NightService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends all faults, and counts requests anew. */
  calm(): void {
    this.faults = undefined;
    this.kill = undefined;
    this.#requests = 0;
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
    const records = JSON.parse(Buffer.concat(chunks).toString()) as readonly Partial<Cells>[];
    this.arrivals += records.length;
    this.#requests += 1;
    const fault = this.#faultNow();
    const kill = this.kill?.atRequest === this.#requests ? this.kill : undefined;
    if (kill?.stage === "before") return die(kill, request);
    if (fault === "not applied") return void request.socket.destroy();
    if (fault === "500" || fault === "503") return answer(response, Number(fault));
    const applied = fault === "half applied" ? records.slice(0, Math.ceil(records.length / 2)) : records;
    for (const record of applied) this.held.push(readCells(record));
    if (kill?.stage === "applied") return die(kill, request);
    if (fault === "lost answer" || fault === "half applied") return void request.socket.destroy();
    if (fault === "late answer") await sleep(300);
    answer(response, fault === "500 applied" ? 500 : 200);
    if (kill !== undefined) {
      await sleep(kill.afterMs);
      die(kill, request);
    }
  }

  #faultNow(): NightFault | undefined {
    const plan = this.faults;
    if (plan === undefined) return undefined;
    const isNow = plan.isRepeated ? this.#requests >= plan.atRequest : this.#requests === plan.atRequest;
    return isNow ? plan.fault : undefined;
  }
}

/** The cells of a record, normalised so that equal records compare as equal. */
function readCells(record: Partial<Cells>): Cells {
  return {
    num_commande: record.num_commande ?? "",
    date_billed: record.date_billed ?? "",
    actual_billable_amount: record.actual_billable_amount ?? "",
    client: (record.client ?? "").trim().normalize("NFC"),
  };
}

function die({ process }: { readonly process: () => void }, request: IncomingMessage): void {
  process();
  request.socket.destroy();
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ msg: status === 200 ? "Update Items OK." : "Something went wrong." }));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
