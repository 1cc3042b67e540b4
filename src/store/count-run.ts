import { createHash } from "node:crypto";
import type { Counts } from "../model/counts.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RecordKind } from "../model/settlement.ts";
import type { RunFacts } from "./run-facts.ts";
import type { LineName } from "./log.ts";
import type { InDoubtAnswer, JournalEntry, OrdinalsByKind, OutcomeEntry, RunEnding } from "./read-journal.ts";
import { type Doubt, type Standing, Standings } from "./standings.ts";

/** The rows of a run by outcome; `rows` is the number of rows read so far. */
export function countRun(
  account: RunAccount,
  rows: { readonly read: number; readonly rejected: number; readonly skipped: number },
): Counts {
  const [accepted, refused] = [account.count("accepted"), account.count("refused")];
  const [failed, inDoubt] = [account.count("failed"), account.count("inDoubt")];
  const { read, rejected, skipped } = rows;
  const notSent = read - rejected - skipped - accepted - refused - failed - inDoubt;
  return { accepted, refused, failed, inDoubt, rejected, skipped, notSent };
}

/**
 * The state of a run, summed up from its journal. A create that was announced and has no outcome is in doubt, unless
 * the process that announced it ended in order.
 */
export class RunAccount {
  readonly #standings = new Standings();
  #facts: RunFacts | undefined;
  #ending: RunEnding | undefined;
  #endedAt: string | undefined;
  #process: ProcessIdentity | undefined;
  #lastBatch = 0;
  #batches = 0;
  #processes = 0;
  #isAbandoned = false;
  #takenOverBy: string | undefined;
  #left: string | undefined;
  #assumedApplied = 0;
  readonly #decided = new Map<string, InDoubtAnswer>();
  #leftOut = 0;
  #hasLeftDoubt = false;
  #hasKeys = false;

  take(entry: JournalEntry, line: LineName): void {
    switch (entry.entry) {
      case "run":
        this.#facts = entry.facts;
        break;
      case "begin":
        this.#processes += 1;
        this.#process = entry.process;
        this.doubtAnnounced();
        // They are sent again.
        this.#standings.forgetFailed();
        this.#ending = undefined;
        break;
      case "intent":
        this.#lastBatch = Math.max(this.#lastBatch, entry.batch);
        this.#standings.announce({
          batch: entry.batch,
          kind: entry.kind,
          ordinals: entry.ordinals,
          lines: entry.lines,
          announcedBy: line,
        });
        break;
      case "outcome":
        this.#batches += 1;
        this.#lastBatch = Math.max(this.#lastBatch, entry.batch);
        this.#standings.settle(entry, line);
        break;
      case "leftOut":
        this.#leftOut = entry.creates;
        this.#hasLeftDoubt ||= (entry.inDoubt ?? 0) > 0;
        break;
      case "keys":
        this.#hasKeys = true;
        break;
      case "left":
        this.#left = entry.prints;
        break;
      case "decision":
        this.#left = undefined;
        this.doubtAnnounced();
        this.#decided.set(entry.doubt, entry.inDoubt);
        if (entry.applied !== undefined)
          this.#assumedApplied += this.#standings.decide(entry.applied, "applied");
        this.#assumedApplied += this.#standings.decide(this.inDoubt, entry.inDoubt);
        break;
      case "end":
        this.letGo();
        this.#ending = entry.end;
        this.#endedAt = entry.at;
        break;
      case "abandon":
        this.#isAbandoned = true;
        this.#takenOverBy = entry.by;
        break;
    }
  }

  /** The process ends in order: creates that it announced and that have no outcome were certainly not applied. */
  letGo(): void {
    this.#standings.letGo();
  }

  get facts(): RunFacts | undefined {
    return this.#facts;
  }

  /** How the last process left it; `undefined` if it did not end in order. */
  get ending(): RunEnding | undefined {
    return this.#ending;
  }

  get endedAt(): string | undefined {
    return this.#endedAt;
  }

  /** The process that pushes the run, or was the last to do so; `undefined` as long as none has begun. */
  get process(): ProcessIdentity | undefined {
    return this.#process;
  }

  /** False if a crash came before anything could be sent. */
  get hasBegun(): boolean {
    return this.#processes > 0;
  }

  /** How many processes have worked on the run, one after the other. */
  get processes(): number {
    return this.#processes;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** The run that sent what this one had not sent, or found it created already. */
  get takenOverBy(): string | undefined {
    return this.#takenOverBy;
  }

  /** Prints of its creates, and of the updates that it left to be sent, in base64; `undefined` if they were not noted. */
  get left(): string | undefined {
    return this.#left;
  }

  /** The highest batch number. */
  get lastBatch(): number {
    return this.#lastBatch;
  }

  /** Requests that settled records. */
  get batches(): number {
    return this.#batches;
  }

  /** Records in doubt that the user said were applied; they count as accepted. */
  get assumedApplied(): number {
    return this.#assumedApplied;
  }

  /**
   * The name of what is in doubt now, made of the lines that announced it, so that no later doubt has it again, not even
   * over the same records; `undefined` if nothing is in doubt.
   */
  get doubt(): string | undefined {
    const lines = this.#standings.announcements.toSorted((a, b) => a.number - b.number);
    if (lines.length === 0) return undefined;
    const text = JSON.stringify(lines.map(({ number, sum }) => [number, sum]));
    return createHash("sha256").update(text).digest("hex").slice(0, 8);
  }

  /** The doubts that the user has decided on, by name. */
  get decided(): Readonly<Record<string, InDoubtAnswer>> {
    return Object.fromEntries(this.#decided);
  }

  /** Records that are not sent again. */
  get settled(): number {
    return this.count("accepted") + this.count("refused") + this.count("inDoubt") + this.count("absent");
  }

  /** Creates that are not sent, because the ledger holds them. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** True if some of these were in doubt because of another run. */
  get hasLeftDoubt(): boolean {
    return this.#hasLeftDoubt;
  }

  /** True if it noted the keys that it sent. */
  get hasKeys(): boolean {
    return this.#hasKeys;
  }

  /** True if the service may hold a create of this run. */
  get hasCreates(): boolean {
    return this.#standings.hasCreates;
  }

  /** The number of records of both kinds in that state; announced records count as in doubt. */
  count(outcome: Standing | "failed"): number {
    return this.countOf("update", outcome) + this.countOf("create", outcome);
  }

  countOf(kind: RecordKind, outcome: Standing | "failed"): number {
    return this.#standings.countOf(kind, outcome);
  }

  /** The state of a record; `undefined` if it is still to be sent. */
  standingOf(kind: RecordKind, ordinal: number): Standing | undefined {
    return this.#standings.of(kind, ordinal);
  }

  /** The records in doubt. */
  get inDoubt(): OrdinalsByKind {
    return this.#standings.inDoubt;
  }

  /** The batch with which a record came into doubt; `undefined` if it is not in doubt. */
  batchInDoubt(kind: RecordKind, ordinal: number): number | undefined {
    return this.#standings.batchInDoubt(kind, ordinal);
  }

  /** Where the records in doubt are, in the order of sending. */
  get doubts(): readonly Doubt[] {
    return this.#standings.doubts;
  }

  /** Takes an outcome that is not in the journal, if the next process will conclude the same without it. */
  takeUnwritten(entry: OutcomeEntry): void {
    const [first] = entry.ordinals;
    // Without a line of its own: the doubt is named by the announcement, as it is for the next process.
    if (first !== undefined && this.#standings.isAnnounced(entry.kind, first[0]))
      this.take(entry, { number: 0, sum: 0 });
  }

  /** Marks records that were announced and have no outcome as in doubt; returns where they are. */
  doubtAnnounced(): readonly Doubt[] {
    return this.#standings.doubtAnnounced();
  }
}
