import type { IncomingMessage, ServerResponse } from "node:http";
import { type PlainServer, sleep, startServer } from "../../support/plain-server.ts";
import { answer } from "../chaos-service.ts";
import type { Cells } from "./shop.ts";

/** The possible fates of a request. */
type NightFault =
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
  #server!: PlainServer;

  static async start(): Promise<NightService> {
    const service = new NightService();
    service.#server = await startServer((request, body, response) =>
      service.#serve(request, body, response).catch(() => request.socket.destroy()),
    );
    return service;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Ends all faults, and counts requests anew. */
  calm(): void {
    this.faults = undefined;
    this.kill = undefined;
    this.#requests = 0;
  }

  /** Resolves when no more requests of a client that has ended can arrive. */
  settled(): Promise<void> {
    return this.#server.settled();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #serve({ socket }: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const records = JSON.parse(body.toString()) as readonly Partial<Cells>[];
    this.arrivals += records.length;
    this.#requests += 1;
    const kill = this.kill?.atRequest === this.#requests ? this.kill : undefined;
    const die = (): void => {
      kill?.process();
      socket.destroy();
    };
    const fault = this.#faultNow();
    if (kill?.stage === "before") return die();
    if (fault === "not applied") return void socket.destroy();
    if (fault === "500" || fault === "503") return say(response, Number(fault));
    const applied = fault === "half applied" ? records.slice(0, Math.ceil(records.length / 2)) : records;
    for (const record of applied) this.held.push(readCells(record));
    if (kill?.stage === "applied") return die();
    if (fault === "lost answer" || fault === "half applied") return void socket.destroy();
    if (fault === "late answer") await sleep(300);
    say(response, fault === "500 applied" ? 500 : 200);
    if (kill === undefined) return;
    await sleep(kill.afterMs);
    die();
  }

  #faultNow(): NightFault | undefined {
    const plan = this.faults;
    if (plan === undefined) return undefined;
    const isNow = plan.isRepeated ? this.#requests >= plan.atRequest : this.#requests === plan.atRequest;
    return isNow ? plan.fault : undefined;
  }
}

function say(response: ServerResponse, status: number): void {
  answer(response, status, status === 200 ? "Update Items OK." : "Something went wrong.");
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
