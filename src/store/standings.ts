import type { RecordKind } from "../model/settlement.ts";
import type { LineName } from "./log.ts";
import { type NumberRange, NumberRanges } from "./number-ranges.ts";
import type { InDoubtAnswer, OrdinalsByKind, OutcomeEntry, Stretch } from "./read-journal.ts";

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

interface KindStandings {
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

/** The state of each record of a run, by its place among the updates or the creates. */
export class Standings {
  readonly #kinds: Readonly<Record<RecordKind, KindStandings>> = { update: newKind(), create: newKind() };
  #doubts: SentStretch[] = [];
  #announced: SentStretch[] = [];

  /** True if the service may hold a create. */
  get hasCreates(): boolean {
    const { accepted, inDoubt, announced } = this.#kinds.create;
    return accepted.count + inDoubt.count + announced.count > 0;
  }

  /** The number of records of a kind in that state; announced records count as in doubt. */
  countOf(kind: RecordKind, outcome: Standing | "failed"): number {
    const standings = this.#kinds[kind];
    return standings[outcome].count + (outcome === "inDoubt" ? standings.announced.count : 0);
  }

  /** The state of a record; `undefined` if it is to be sent. */
  of(kind: RecordKind, ordinal: number): Standing | undefined {
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

  /** The lines of the journal that announced the records in doubt. */
  get announcements(): readonly LineName[] {
    return this.#open.map(({ announcedBy }) => announcedBy);
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

  announce(stretch: SentStretch): void {
    this.#withdraw(stretch);
    this.#announced.push(stretch);
    const { announced, failed } = this.#kinds[stretch.kind];
    for (const range of stretch.ordinals) {
      announced.add(range);
      failed.remove(range);
    }
  }

  settle({ kind, ordinals, outcome, batch, lines, status }: OutcomeEntry, line: LineName): void {
    const standings = this.#kinds[kind];
    for (const range of ordinals) {
      for (const ranges of Object.values(standings)) ranges.remove(range);
      standings[outcome].add(range);
    }
    const isIt = (stretch: Stretch): boolean =>
      stretch.kind === kind && stretch.ordinals[0]?.[0] === ordinals[0]?.[0];
    const { announcedBy = line } = this.#announced.find(isIt) ?? {};
    this.#announced = this.#announced.filter((stretch) => !isIt(stretch));
    if (outcome !== "inDoubt") return;
    const isRefused = REFUSALS.has(status ?? 0);
    this.#doubts.push({ batch, kind, ordinals, lines, isRefused, announcedBy });
  }

  /** Announced records without an outcome were certainly not applied. */
  letGo(): void {
    for (const { kind, ordinals } of this.#announced) {
      for (const range of ordinals) this.#kinds[kind].announced.remove(range);
    }
    this.#announced = [];
  }

  isAnnounced(kind: RecordKind, ordinal: number): boolean {
    return this.#kinds[kind].announced.has(ordinal);
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
  decide(decided: OrdinalsByKind, as: InDoubtAnswer): number {
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

  /** Marks failed records as to be sent again. */
  forgetFailed(): void {
    for (const { failed } of Object.values(this.#kinds)) failed.clear();
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

function newKind(): KindStandings {
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
