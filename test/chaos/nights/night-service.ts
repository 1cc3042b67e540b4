import { CALM, ChaosService, type Received } from "../chaos-service.ts";
import type { Fault } from "../draw-fault.ts";
import type { Cells } from "./shop.ts";

const LOST: Fault = { ...CALM, how: "drop" };
/** The possible fates of a request. */
const FATES = {
  "lost answer": LOST,
  "not applied": { ...LOST, applies: false },
  "half applied": { ...LOST, applies: "half" },
  "500": { ...CALM, applies: false, status: 500 },
  "500 applied": { ...CALM, status: 500 },
  "503": { ...CALM, applies: false, status: 503 },
  "late answer": { ...CALM, delayMs: 300 },
} as const satisfies Readonly<Record<string, Fault>>;

/** A fault of a command's n-th request, or of that and all later ones. */
export interface FaultPlan {
  readonly fault: keyof typeof FATES;
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
export class NightService extends ChaosService {
  /** All records that it holds. */
  readonly held: Cells[] = [];
  faults: FaultPlan | undefined;
  kill: (RequestKill & { readonly process: () => void }) | undefined;
  #requests = 0;

  /** Ends all faults, and counts requests anew. */
  calm(): void {
    this.faults = undefined;
    this.kill = undefined;
    this.#requests = 0;
  }

  protected override fateOf(): Fault {
    this.#requests += 1;
    const { kill, faults: plan } = this;
    if (kill?.atRequest === this.#requests) {
      if (kill.stage === "answered")
        return { ...CALM, afterwards: () => setTimeout(kill.process, kill.afterMs) };
      kill.process();
      return { ...LOST, applies: kill.stage === "applied" };
    }
    const isNow =
      plan !== undefined &&
      (plan.isRepeated ? this.#requests >= plan.atRequest : this.#requests === plan.atRequest);
    return isNow ? FATES[plan.fault] : CALM;
  }

  /** Keeps its cells, normalised so that equal records compare as equal. */
  protected override keep(record: Received): void {
    this.held.push({
      num_commande: record["num_commande"] ?? "",
      date_billed: record["date_billed"] ?? "",
      actual_billable_amount: record["actual_billable_amount"] ?? "",
      client: (record["client"] ?? "").trim().normalize("NFC"),
    });
  }
}
