import type { RecordKind } from "../../model/record.ts";
import type { JournalEntry, OutcomeEntry, RunEnding, Stretch } from "./journal-entry.ts";
import { NumberRanges, type NumberRange } from "./number-ranges.ts";
import type { RunFacts } from "./run-facts.ts";

/** How a record stands that a run need not, or must not, send again. */
export type Standing = "accepted" | "refused" | "inDoubt";

/** Records in doubt, with their lines. */
export type Doubt = Pick<Stretch, "batch" | "kind" | "lines"> & { readonly records: number };

interface KindAccount {
  readonly accepted: NumberRanges;
  readonly refused: NumberRanges;
  readonly inDoubt: NumberRanges;
  readonly failed: NumberRanges;
  /** Announced, and no outcome yet. */
  readonly announced: NumberRanges;
}

/**
 * What a run's journal adds up to. A create that was announced and has no outcome is in doubt, unless the process that
 * announced it ended in order.
 */
export class RunAccount {
  readonly #kinds: Readonly<Record<RecordKind, KindAccount>> = { update: newKind(), create: newKind() };
  #facts: RunFacts | undefined;
  #doubts: Stretch[] = [];
  #announced: Stretch[] = [];
  #ending: RunEnding | undefined;
  #endedAt: string | undefined;
  #lastBatch = 0;
  #batches = 0;
  #hasBegun = false;
  #isAbandoned = false;
  #assumedApplied = 0;

  take(entry: JournalEntry): void {
    switch (entry.entry) {
      case "run":
        this.#facts = entry.facts;
        break;
      case "begin":
        this.#hasBegun = true;
        this.#doubtAnnounced();
        // They are sent again.
        for (const { failed } of Object.values(this.#kinds)) failed.clear();
        this.#ending = undefined;
        break;
      case "intent":
        this.#lastBatch = Math.max(this.#lastBatch, entry.batch);
        this.#withdraw(entry);
        this.#announced.push(entry);
        for (const range of entry.ordinals) {
          this.#kinds[entry.kind].announced.add(range);
          this.#kinds[entry.kind].failed.remove(range);
        }
        break;
      case "outcome":
        this.#settle(entry);
        break;
      case "decision":
        this.#decide(entry.inDoubt);
        break;
      case "end":
        this.letGo();
        this.#ending = entry.end;
        this.#endedAt = entry.at;
        break;
      case "abandon":
        this.#isAbandoned = true;
        break;
    }
  }

  /** The process ends in order: what it announced and has no outcome was certainly not applied. */
  letGo(): void {
    for (const { kind, ordinals } of this.#announced) {
      for (const range of ordinals) this.#kinds[kind].announced.remove(range);
    }
    this.#announced = [];
  }

  get facts(): RunFacts | undefined {
    return this.#facts;
  }

  /** How the last process left it; `undefined` where it did not end in order. */
  get ending(): RunEnding | undefined {
    return this.#ending;
  }

  get endedAt(): string | undefined {
    return this.#endedAt;
  }

  /** False where a crash came before anything could be sent. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** The highest number of a batch. */
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

  /** Records that are not sent again. */
  get settled(): number {
    return this.count("accepted") + this.count("refused") + this.count("inDoubt");
  }

  /** True where the service may hold a create of this run. */
  get hasCreates(): boolean {
    const { accepted, inDoubt, announced } = this.#kinds.create;
    return accepted.count + inDoubt.count + announced.count > 0;
  }

  /** How many records of each kind stand so; announced ones are in doubt. */
  count(outcome: Standing | "failed"): number {
    return this.countOf("update", outcome) + this.countOf("create", outcome);
  }

  countOf(kind: RecordKind, outcome: Standing | "failed"): number {
    const account = this.#kinds[kind];
    return account[outcome].count + (outcome === "inDoubt" ? account.announced.count : 0);
  }

  /** How a record stands; `undefined`: it is to be sent. */
  standingOf(kind: RecordKind, ordinal: number): Standing | undefined {
    const { accepted, refused, inDoubt, announced } = this.#kinds[kind];
    if (accepted.has(ordinal)) return "accepted";
    if (inDoubt.has(ordinal) || announced.has(ordinal)) return "inDoubt";
    return refused.has(ordinal) ? "refused" : undefined;
  }

  /** Where the records in doubt are, in the order of sending. */
  get doubts(): readonly Doubt[] {
    return [...this.#doubts, ...this.#announced]
      .map(({ batch, kind, lines, ordinals }) => {
        const { inDoubt, announced } = this.#kinds[kind];
        const isOpen = ordinals.some(([first]) => inDoubt.has(first) || announced.has(first));
        return { batch, kind, lines, records: isOpen ? sizeOf(ordinals) : 0 };
      })
      .filter(({ records }) => records > 0);
  }

  #settle({ kind, ordinals, outcome, batch, lines }: OutcomeEntry): void {
    const account = this.#kinds[kind];
    this.#batches += 1;
    this.#lastBatch = Math.max(this.#lastBatch, batch);
    for (const range of ordinals) {
      for (const ranges of Object.values(account)) ranges.remove(range);
      account[outcome].add(range);
    }
    this.#announced = this.#announced.filter(
      (stretch) => stretch.kind !== kind || stretch.ordinals[0]?.[0] !== ordinals[0]?.[0],
    );
    if (outcome === "inDoubt") this.#doubts.push({ batch, kind, ordinals, lines });
  }

  /** A piece of a batch is announced only once the service has refused the batch as a whole. */
  #withdraw({ kind, ordinals: [piece] }: Stretch): void {
    const { announced } = this.#kinds[kind];
    if (piece === undefined || !announced.has(piece[0])) return;
    const isWhole = (stretch: Stretch): boolean =>
      stretch.kind === kind &&
      stretch.ordinals.some(([first, last]) => first <= piece[0] && piece[0] <= last);
    for (const { ordinals } of this.#announced.filter(isWhole))
      for (const range of ordinals) announced.remove(range);
    this.#announced = this.#announced.filter((stretch) => !isWhole(stretch));
  }

  #decide(inDoubt: "applied" | "resend"): void {
    this.#doubtAnnounced();
    for (const { accepted, inDoubt: open } of Object.values(this.#kinds)) {
      for (const range of open.ranges) {
        open.remove(range);
        if (inDoubt === "applied") this.#assumedApplied += accepted.add(range);
      }
    }
    this.#doubts = [];
  }

  /** What the last process announced without telling more is in doubt. */
  #doubtAnnounced(): void {
    for (const stretch of this.#announced) {
      const { announced, inDoubt } = this.#kinds[stretch.kind];
      for (const range of stretch.ordinals) if (announced.remove(range) > 0) inDoubt.add(range);
    }
    this.#doubts.push(...this.#announced);
    this.#announced = [];
  }
}

function newKind(): KindAccount {
  return {
    accepted: new NumberRanges(),
    refused: new NumberRanges(),
    inDoubt: new NumberRanges(),
    failed: new NumberRanges(),
    announced: new NumberRanges(),
  };
}

function sizeOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
