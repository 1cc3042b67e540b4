import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type PlainServer, startServer } from "../support/plain-server.ts";
import type { Fault } from "./draw-fault.ts";

export type Received = Readonly<Record<string, string>>;

/** Draws the fate of the next request. */
type NextFault = (isOfCreates: boolean) => Fault;

/** A record as it was applied; without a key it is a create. */
export interface AppliedRecord {
  readonly key: string | undefined;
  readonly number: string;
  readonly record: Received;
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
  #server!: PlainServer;

  constructor(nextFault: NextFault = () => CALM) {
    this.#nextFault = nextFault;
  }

  static start(nextFault: NextFault): Promise<ChaosService> {
    return new ChaosService(nextFault).open();
  }

  async open(): Promise<this> {
    this.#server = await startServer((request, body, response) =>
      this.#serve(request, body, response).catch(() => request.socket.destroy()),
    );
    return this;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Resolves when no more requests of a client that has ended can arrive. */
  settled(): Promise<void> {
    return this.#server.settled();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #serve(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const records = JSON.parse(body.toString()) as readonly Received[];
    for (const listener of this.onRequest) listener();
    const fault = this.fateOf(records);
    if (fault.applies && records.some(({ etat }) => etat === "bad")) {
      await sleep(fault.delayMs);
      answer(response, 400, "one of these records is bad, none was applied");
      return;
    }
    const applied = fault.applies === "half" ? records.slice(0, Math.ceil(records.length / 2)) : records;
    if (fault.applies !== false) for (const record of applied) this.keep(record);
    await sleep(fault.delayMs);
    await misbehave(fault, request, response);
    fault.afterwards?.();
  }

  protected fateOf(records: readonly Received[]): Fault {
    return this.isCalm ? CALM : this.#nextFault(records.some(({ cle }) => cle === undefined));
  }

  protected keep(record: Received): void {
    const { cle: key, num_commande: number = "" } = record;
    this.applied.push({ key, number, record });
  }
}

export const CALM: Fault = { applies: true, delayMs: 0, how: "answer", status: 200 };

async function misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { how, status } = fault;
  if (how === "answer") answer(response, status, status === 200 ? OK : `status ${status}`);
  if (how === "drop") request.socket.destroy();
  // After silence the client's own time-out ends the request.
  if (how !== "slow" && how !== "cutBody") return;
  const text = JSON.stringify({ msg: OK });
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  for (const byte of how === "slow" ? text : text.slice(0, 10)) {
    response.write(byte);
    await sleep(1);
  }
  if (how === "slow") response.end();
  else request.socket.destroy();
}

const OK = "Update Items OK.";

/** Answers with a JSON object that holds `msg`. */
function answer(response: ServerResponse, status: number, msg: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 429 ? { "retry-after": "0" } : {}),
  });
  response.end(JSON.stringify({ msg }));
}
