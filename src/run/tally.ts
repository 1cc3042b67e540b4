import type { Counts, Whereabouts } from "../model/event.ts";
import type { Outcome, Settled } from "../model/outcome.ts";

/** More stretches than these are counted, not listed. */
const MAX_WHEREABOUTS = 50;

/** Counts rows per outcome so that the summary adds up to the rows read. */
export class Tally {
  #read = 0;
  #batches = 0;
  readonly #counts: Record<Outcome, number> = {
    accepted: 0,
    refused: 0,
    failed: 0,
    inDoubt: 0,
    rejected: 0,
    notSent: 0,
    skipped: 0,
  };
  readonly #whereabouts: Whereabouts[] = [];
  #createsSent = false;

  /** Counts rows of an input as read; until they settle they are not sent. */
  addRead(rows: number): void {
    this.#read += rows;
    this.#counts.notSent += rows;
  }

  /** Takes rows that were read out of those not sent, as rejected or skipped. */
  move(outcome: "rejected" | "skipped", rows: number): void {
    this.#counts[outcome] += rows;
    this.#counts.notSent -= rows;
  }

  settle(file: string, settled: Settled): void {
    const rows = settled.records.length;
    this.#batches += 1;
    this.#counts[settled.outcome] += rows;
    this.#counts.notSent -= rows;
    if (settled.kind === "create" && (settled.outcome === "accepted" || settled.outcome === "inDoubt")) {
      this.#createsSent = true;
    }
    const first = settled.records[0];
    const last = settled.records.at(-1);
    if (settled.outcome === "accepted" || first === undefined || last === undefined) return;
    if (this.#whereabouts.length >= MAX_WHEREABOUTS) return;
    this.#whereabouts.push({
      outcome: settled.outcome,
      kind: settled.kind,
      file,
      firstLine: first.line,
      lastLine: last.line,
      rows,
    });
  }

  get read(): number {
    return this.#read;
  }

  get batches(): number {
    return this.#batches;
  }

  /** True once a create may be held by the service: sending the same rows again could make it twice. */
  get createsSent(): boolean {
    return this.#createsSent;
  }

  get counts(): Counts {
    return { ...this.#counts };
  }

  get whereabouts(): readonly Whereabouts[] {
    return this.#whereabouts;
  }
}
