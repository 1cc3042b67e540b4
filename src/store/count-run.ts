import { createHash } from "node:crypto";
import type { Counts } from "../model/counts.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RecordKind } from "../model/settlement.ts";
import type { RunFacts } from "./run-facts.ts";
import type { LineName } from "./log.ts";
import type {
  InDoubtAnswer,
  JournalEntry,
  OrdinalsByKind,
  OutcomeEntry,
  RunEnding,
  Stretch,
} from "./read-journal.ts";
import { type NumberRange, NumberRanges } from "./number-ranges.ts";

/** The state of a record that a resumed run need not, or must not, send again. */
export type Standing = "accepted" | "refused" | "inDoubt" | "absent";

/** Records in doubt, with their lines. */
export type Doubt = Pick<Stretch, "batch" | "kind" | "lines"> & {
  readonly records: number;
  /** The service refused the request as a whole: it would refuse it again. */
  readonly isRefused: boolean;
};

/** Records of one request, and the line of the journal that announced them. */
type SentStretch = Stretch & {
  readonly announcedBy: LineName;
  readonly isRefused?: boolean;
};

/** The records of one kind, by state. */
interface RecordStates {
  readonly accepted: NumberRanges;
  readonly refused: NumberRanges;
  readonly inDoubt: NumberRanges;
  readonly failed: NumberRanges;
  /** Records that were in doubt, and of which the user says that they are not there. */
  readonly absent: NumberRanges;
  /** Records that were announced and have no outcome yet. */
  readonly announced: NumberRanges;
}

/** Answers with which the service refuses a request because of some of its records. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 422]);

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
  readonly #kinds: Readonly<Record<RecordKind, RecordStates>> = { update: newStates(), create: newStates() };
  #doubts: SentStretch[] = [];
  #announced: SentStretch[] = [];
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
        for (const { failed } of Object.values(this.#kinds)) failed.clear();
        this.#ending = undefined;
        break;
      case "intent":
        this.#lastBatch = Math.max(this.#lastBatch, entry.batch);
        this.#announce({
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
        this.#settle(entry, line);
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
        if (entry.applied !== undefined) this.#assumedApplied += this.#decide(entry.applied, "applied");
        this.#assumedApplied += this.#decide(this.inDoubt, entry.inDoubt);
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
    const lines = this.#open.map(({ announcedBy }) => announcedBy).toSorted((a, b) => a.number - b.number);
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

  /** The number of records of both kinds in that state; announced records count as in doubt. */
  count(outcome: Standing | "failed"): number {
    return this.countOf("update", outcome) + this.countOf("create", outcome);
  }

  /** Takes an outcome that is not in the journal, if the next process will conclude the same without it. */
  takeUnwritten(entry: OutcomeEntry): void {
    const [first] = entry.ordinals;
    // Without a line of its own: the doubt is named by the announcement, as it is for the next process.
    if (first !== undefined && this.#kinds[entry.kind].announced.has(first[0]))
      this.take(entry, { number: 0, sum: 0 });
  }

  /** True if the service may hold a create of this run. */
  get hasCreates(): boolean {
    const { accepted, inDoubt, announced } = this.#kinds.create;
    return accepted.count + inDoubt.count + announced.count > 0;
  }

  /** The number of records of a kind in that state; announced records count as in doubt. */
  countOf(kind: RecordKind, outcome: Standing | "failed"): number {
    const states = this.#kinds[kind];
    return states[outcome].count + (outcome === "inDoubt" ? states.announced.count : 0);
  }

  /** The state of a record; `undefined` if it is to be sent. */
  standingOf(kind: RecordKind, ordinal: number): Standing | undefined {
    const { accepted, refused, inDoubt, announced, absent } = this.#kinds[kind];
    if (accepted.has(ordinal)) return "accepted";
    if (absent.has(ordinal)) return "absent";
    if (inDoubt.has(ordinal) || announced.has(ordinal)) return "inDoubt";
    return refused.has(ordinal) ? "refused" : undefined;
  }

  /** The records in doubt. */
  get inDoubt(): OrdinalsByKind {
    const of = (kind: RecordKind): readonly NumberRange[] => {
      const { inDoubt, announced } = this.#kinds[kind];
      return [...inDoubt.ranges, ...announced.ranges];
    };
    return { update: of("update"), create: of("create") };
  }

  /** Where the records in doubt are, in the order of sending. */
  get doubts(): readonly Doubt[] {
    return this.#open.map(({ batch, kind, lines, ordinals, isRefused = false }) => {
      return { batch, kind, lines, records: sizeOf(ordinals), isRefused };
    });
  }

  get #open(): readonly SentStretch[] {
    return [...this.#doubts, ...this.#announced].filter(({ kind, ordinals }) => {
      const { inDoubt, announced } = this.#kinds[kind];
      return ordinals.some(([first]) => inDoubt.has(first) || announced.has(first));
    });
  }

  /** The batch with which a record came into doubt; `undefined` if it is not in doubt. */
  batchInDoubt(kind: RecordKind, ordinal: number): number | undefined {
    const holds = (stretch: Stretch): boolean =>
      stretch.kind === kind && stretch.ordinals.some(([first, last]) => first <= ordinal && ordinal <= last);
    return (this.#announced.findLast(holds) ?? this.#doubts.findLast(holds))?.batch;
  }

  #announce(stretch: SentStretch): void {
    this.#withdraw(stretch);
    this.#announced.push(stretch);
    const { announced, failed } = this.#kinds[stretch.kind];
    for (const range of stretch.ordinals) {
      announced.add(range);
      failed.remove(range);
    }
  }

  #settle({ kind, ordinals, outcome, batch, lines, status }: OutcomeEntry, line: LineName): void {
    const states = this.#kinds[kind];
    for (const range of ordinals) {
      for (const ranges of Object.values(states)) ranges.remove(range);
      states[outcome].add(range);
    }
    const isIt = (stretch: Stretch): boolean =>
      stretch.kind === kind && stretch.ordinals[0]?.[0] === ordinals[0]?.[0];
    const { announcedBy = line } = this.#announced.find(isIt) ?? {};
    this.#announced = this.#announced.filter((stretch) => !isIt(stretch));
    if (outcome !== "inDoubt") return;
    const isRefused = REFUSALS.has(status ?? 0);
    this.#doubts.push({ batch, kind, ordinals, lines, isRefused, announcedBy });
  }

  /** The process ends in order: creates that it announced and that have no outcome were certainly not applied. */
  letGo(): void {
    for (const { kind, ordinals } of this.#announced) {
      for (const range of ordinals) this.#kinds[kind].announced.remove(range);
    }
    this.#announced = [];
  }

  /** Marks announced records without an outcome as in doubt; returns where they are. */
  doubtAnnounced(): readonly Doubt[] {
    const doubts = this.#announced.map(({ batch, kind, lines, ordinals }) => ({
      batch,
      kind,
      lines,
      records: sizeOf(ordinals),
      isRefused: false,
    }));
    for (const stretch of this.#announced) {
      const { announced, inDoubt } = this.#kinds[stretch.kind];
      for (const range of stretch.ordinals) if (announced.remove(range) > 0) inDoubt.add(range);
    }
    this.#doubts.push(...this.#announced);
    this.#announced = [];
    return doubts;
  }

  /**
   * Settles those of these records that are in doubt: as accepted, as to be sent, or as absent; returns how many
   * became accepted.
   */
  #decide(decided: OrdinalsByKind, as: InDoubtAnswer): number {
    let applied = 0;
    for (const kind of ["update", "create"] as const) {
      const { accepted, inDoubt, absent } = this.#kinds[kind];
      for (const range of decided[kind].flatMap((asked) => inDoubt.within(asked))) {
        inDoubt.remove(range);
        if (as === "applied") applied += accepted.add(range);
        else if (as === "absent") absent.add(range);
      }
    }
    this.#doubts = this.#doubts.filter(({ kind, ordinals }) =>
      ordinals.some((range) => this.#kinds[kind].inDoubt.within(range).length > 0),
    );
    return applied;
  }

  /** Part of a batch is announced only after the service has refused the batch as a whole. */
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
}

function newStates(): RecordStates {
  return {
    accepted: new NumberRanges(),
    refused: new NumberRanges(),
    inDoubt: new NumberRanges(),
    failed: new NumberRanges(),
    absent: new NumberRanges(),
    announced: new NumberRanges(),
  };
}

function sizeOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
