import { createHash } from "node:crypto";
import type { Counts } from "../model/counts.ts";
import type { Doubt } from "../model/exit-code.ts";
import type { RecordKind } from "../model/settlement.ts";
import type { LineName } from "./log.ts";
import { type NumberRange, sizeOf, StatesOfNumbers } from "./number-ranges.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type {
  InDoubtAnswer,
  JournalEntry,
  LeftRecords,
  OutcomeEntry,
  RunEnding,
  Stretch,
} from "./journal.ts";
import type { RunFacts } from "./run-facts.ts";

/** The state of a record that a resumed run need not or must not send again. */
type Standing = "accepted" | "refused" | "inDoubt" | "absent" | "overtaken";

const STANDINGS: readonly Standing[] = ["accepted", "absent", "inDoubt", "refused", "overtaken"];

/** Creates of one request that have no certain outcome, and the line of the journal that announced them. */
type SentStretch = Stretch & {
  readonly announcedBy: LineName;
  /** True as long as their outcome may still come. */
  readonly isPending: boolean;
  readonly isRefused: boolean;
};

/** Statuses with which the service refuses a request because of some of its records. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 422]);

/**
 * The state of a run, summed up from its journal; its facts are in the book. A create that was announced and has no outcome is in doubt, unless
 * the process that announced it ended in order. Only {@link take} changes what the fields say.
 */
export class RunAccount {
  readonly facts: RunFacts;
  /** How the last process left it; `undefined` if it did not end in order. */
  ending: RunEnding | undefined;
  endedAt: string | undefined;
  /** The process that pushes the run, or was the last to do so; `undefined` as long as none has begun. */
  process: ProcessIdentity | undefined;
  /** How many processes have worked on the run, one after the other. */
  processes = 0;
  isAbandoned = false;
  /** The run that sent the rest of this one, or found the rest created already. */
  takenOverBy: string | undefined;
  /** The records that it left to be sent; `undefined` if they were not noted. */
  left: LeftRecords | undefined;
  /** The highest batch number. */
  lastBatch = 0;
  /** Requests that settled records. */
  batches = 0;
  /** Creates that are not sent, because the ledger holds them. */
  leftOut = 0;
  /** True if it noted the keys that it sent. */
  hasKeys = false;
  /** The doubts that the user has decided on, by name. */
  decided: Readonly<Record<string, InDoubtAnswer>> = {};
  /** Announced records are in doubt until they have an outcome. */
  readonly #kinds: Readonly<Record<RecordKind, StatesOfNumbers<Standing | "failed">>> = {
    update: new StatesOfNumbers(),
    create: new StatesOfNumbers(),
  };
  /** Later ones may have settled some of these. */
  #sent: readonly SentStretch[] = [];

  constructor(facts: RunFacts) {
    this.facts = facts;
  }

  take(entry: JournalEntry, line: LineName): void {
    switch (entry.entry) {
      case "begin":
        this.processes += 1;
        this.process = entry.process;
        this.doubtAnnounced();
        // Failed updates are sent again.
        for (const states of Object.values(this.#kinds))
          for (const failed of states.in("failed")) states.set(failed);
        this.ending = undefined;
        break;
      case "intent":
        this.lastBatch = Math.max(this.lastBatch, entry.batch);
        this.#announce(entry, line);
        break;
      case "outcome":
        this.batches += 1;
        this.lastBatch = Math.max(this.lastBatch, entry.batch);
        this.#settle(entry, line);
        break;
      case "leftOut":
        this.leftOut = entry.creates;
        break;
      case "keys":
      case "keysLost":
        this.hasKeys = true;
        break;
      case "overtaken":
        this.#put({ kind: "update", ordinals: entry.ordinals }, "overtaken");
        break;
      case "left":
        this.left = entry;
        break;
      case "decision":
        this.left = undefined;
        this.decided = { ...this.decided, [entry.doubt]: entry.inDoubt };
        if (entry.applied !== undefined) this.#decide(entry.applied, "applied");
        this.#decide(this.#kinds.create.in("inDoubt"), entry.inDoubt);
        this.#sent = [];
        break;
      case "end":
        this.letGo();
        this.ending = entry.end;
        this.endedAt = entry.at;
        break;
      case "abandon":
        this.isAbandoned = true;
        this.takenOverBy = entry.by;
        break;
    }
  }

  /**
   * The name of the present doubt, made of the lines that announced it: no later doubt has it again, not even over the same
   * records. `undefined` if nothing is in doubt.
   */
  get doubt(): string | undefined {
    const lines = this.#open.map(({ announcedBy }) => announcedBy).toSorted((a, b) => a.number - b.number);
    if (lines.length === 0) return undefined;
    const text = JSON.stringify(lines.map(({ number, sum }) => [number, sum]));
    return createHash("sha256").update(text).digest("hex").slice(0, 8);
  }

  /** Records that are not sent again. */
  get settled(): number {
    return this.settledOf("update") + this.settledOf("create");
  }

  /** The settled records of one kind. */
  settledOf(kind: RecordKind): number {
    return STANDINGS.reduce((sum, standing) => sum + this.countOf(kind, standing), 0);
  }

  /** The rows of the run by outcome. */
  get counts(): Counts {
    const { read, rejected, skipped: withoutRecord } = this.facts.totals;
    const [accepted, refused] = [this.count("accepted"), this.count("refused")];
    const [failed, inDoubt] = [this.count("failed"), this.count("inDoubt")];
    const skipped = withoutRecord + this.leftOut + this.count("overtaken");
    const notSent = read - rejected - skipped - accepted - refused - failed - inDoubt;
    return { accepted, refused, failed, inDoubt, rejected, skipped, notSent };
  }

  /** True if the service may hold a create of this run. */
  get hasCreates(): boolean {
    return this.countOf("create", "accepted") + this.countOf("create", "inDoubt") > 0;
  }

  /** The number of records of both kinds in that state. */
  count(outcome: Standing | "failed"): number {
    return this.countOf("update", outcome) + this.countOf("create", outcome);
  }

  countOf(kind: RecordKind, outcome: Standing | "failed"): number {
    return this.#kinds[kind].count(outcome);
  }

  /** The state of a record; `undefined` if it is to be sent. */
  standingOf(kind: RecordKind, ordinal: number): Standing | undefined {
    const state = this.#kinds[kind].of(ordinal);
    return state === "failed" ? undefined : state;
  }

  /** Where the records in doubt are, in the order of sending. */
  get doubts(): readonly Doubt[] {
    return this.#open.map(doubtOf);
  }

  get #open(): readonly SentStretch[] {
    return this.#sent.filter(({ ordinals }) =>
      ordinals.some(([first]) => this.#kinds.create.of(first) === "inDoubt"),
    );
  }

  /** The batch with which a create came into doubt; `undefined` if it is not in doubt. */
  batchInDoubt(ordinal: number): number | undefined {
    return this.#sent.findLast((stretch) => holds(stretch, ordinal))?.batch;
  }

  /** The process ends in order: creates that it announced and that have no outcome were certainly not applied. */
  letGo(): void {
    for (const { ordinals } of this.#sent.filter(({ isPending }) => isPending)) this.#settleDoubt(ordinals);
    this.#sent = this.#sent.filter(({ isPending }) => !isPending);
  }

  /** No outcome of the announced records will come any more: they stay in doubt. Returns their places. */
  doubtAnnounced(): readonly Doubt[] {
    const announced = this.#sent.filter(({ isPending }) => isPending);
    this.#sent = this.#sent.map((stretch) => ({ ...stretch, isPending: false }));
    return announced.map(doubtOf);
  }

  #announce({ batch, kind, ordinals, lines }: Stretch, announcedBy: LineName): void {
    const [first = [-1, -1] as const] = ordinals;
    // Part of a batch is announced only after the service has refused the batch as a whole.
    const isWhole = (stretch: SentStretch): boolean => stretch.isPending && holds(stretch, first[0]);
    for (const whole of this.#sent.filter(isWhole)) this.#settleDoubt(whole.ordinals);
    const stretch = { batch, kind, ordinals, lines, announcedBy, isPending: true, isRefused: false };
    this.#sent = [...this.#sent.filter((one) => !isWhole(one)), stretch];
    this.#put(stretch, "inDoubt");
  }

  #settle({ kind, ordinals, outcome, batch, lines, status }: OutcomeEntry, line: LineName): void {
    this.#put({ kind, ordinals }, outcome);
    if (kind === "update") return;
    const isIt = (stretch: SentStretch): boolean =>
      stretch.isPending && stretch.ordinals[0]?.[0] === ordinals[0]?.[0];
    const { announcedBy = line } = this.#sent.find(isIt) ?? {};
    this.#sent = this.#sent.filter((stretch) => !isIt(stretch));
    if (outcome !== "inDoubt") return;
    const isRefused = REFUSALS.has(status ?? 0);
    this.#sent = [...this.#sent, { batch, kind, ordinals, lines, announcedBy, isPending: false, isRefused }];
  }

  #put({ kind, ordinals }: Pick<Stretch, "kind" | "ordinals">, state: Standing | "failed"): void {
    for (const range of ordinals) this.#kinds[kind].set(range, state);
  }

  /** Those of these creates that are in doubt are in that state from now on, or to be sent again. */
  #settleDoubt(creates: readonly NumberRange[], state?: Standing): void {
    for (const range of creates)
      for (const doubted of this.#kinds.create.in("inDoubt", range)) this.#kinds.create.set(doubted, state);
  }

  #decide(creates: readonly NumberRange[], as: InDoubtAnswer): void {
    const state = as === "applied" ? "accepted" : as === "absent" ? "absent" : undefined;
    this.#settleDoubt(creates, state);
  }
}

function holds({ ordinals }: Stretch, ordinal: number): boolean {
  return ordinals.some(([first, last]) => first <= ordinal && ordinal <= last);
}

function doubtOf({ batch, kind, lines, ordinals, isRefused }: SentStretch): Doubt {
  return { batch, kind, lines, records: sizeOf(ordinals), isRefused };
}
