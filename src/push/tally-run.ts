import type { CreateCounts, EarlierDoubt } from "../ledger/exports-rule.ts";
import type { Counts, Outcome, Settled, SurveyCounts, Whereabouts } from "../model/counts.ts";
import type { DoubtfulRun, EarlierEnd, RunEnd } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import type { ShownRun } from "../store/book-entries.ts";
import type { Doubt, RunAccount } from "../store/count-run.ts";

/** The rows of a run by outcome, from its journal. */
export function tallyRun(account: RunAccount): Tally {
  const tally = new Tally();
  const { facts, counts } = account;
  const { rejected, skipped } = counts;
  tally.addRead(facts.totals.read);
  tally.move("rejected", rejected);
  tally.move("skipped", skipped);
  tally.restore(facts.file, account);
  return tally;
}

/** If more stretches than this are in doubt, refused or failed, the others are counted instead of listed. */
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
  #newlyChanged = 0;
  readonly #doubts: Whereabouts[] = [];
  readonly #others: Whereabouts[] = [];
  /** The runs in which the inputs were pushed, in order. */
  readonly runs: string[] = [];
  /** Those of them that have nothing left to do. */
  readonly doneRuns: string[] = [];
  /** The run with which the only input goes on, as soon as it is known. */
  toResume: string | undefined;
  /** The runs that were open on the table before this command. */
  openRuns: readonly string[] = [];
  /** Those of the runs that have records in doubt. */
  readonly doubts: DoubtfulRun[] = [];
  /** The endings of earlier runs whose content was left out. */
  readonly earlier: EarlierEnd[] = [];

  /** Counts the rows of a survey. */
  addSurvey(counts: SurveyCounts): void {
    this.addRead(counts.rows);
    this.move("rejected", counts.invalid);
    this.move("skipped", counts.skipped + counts.superseded);
  }

  /** Notes a run that has records in doubt, once all of its rows are counted. */
  noteDoubt(
    about: Pick<DoubtfulRun, "run" | "file" | "calledBy" | "inputNow">,
    account: RunAccount,
    { notSent, failed }: Counts,
  ): void {
    const { doubt, doubts } = account;
    if (doubt === undefined) return;
    const isRefused = doubts.some((one) => one.isRefused);
    const records = account.count("inDoubt");
    this.doubts.push({ ...about, doubt, isRefused, records, left: notSent + failed });
  }

  /** Counts rows of an input as read; they are not sent until they settle. */
  addRead(rows: number): void {
    this.#read += rows;
    this.#counts.notSent += rows;
  }

  /** Counts what an earlier process of the run settled. */
  restore(file: string, account: RunAccount): void {
    for (const outcome of ["accepted", "refused", "inDoubt"] as const) {
      const rows = account.count(outcome);
      this.#counts.notSent -= rows;
      this.#counts[outcome] += rows;
    }
    this.#batches += account.batches;
    for (const { kind, lines, records } of account.doubts) {
      this.#note({ outcome: "inDoubt", kind, file, firstLine: lines[0], lastLine: lines[1], rows: records });
    }
  }

  /** Counts the rows of a closed run. */
  recall({ read, counts }: Pick<ShownRun, "read" | "counts">, batches: number): void {
    this.#read += read;
    this.#batches += batches;
    for (const outcome of Object.keys(counts) as Outcome[]) this.#counts[outcome] += counts[outcome];
  }

  /** Leaves out all rows of an input that was pushed before, in a run that ended like this. */
  leaveOut(
    { rows, invalid, skipped, superseded }: SurveyCounts,
    { run, hasRejects, calledBy }: Omit<EarlierEnd, "inDoubt">,
  ): void {
    this.earlier.push({ run, calledBy, hasRejects, inDoubt: 0 });
    // Rejected rows stay rejected until they were mended and pushed.
    const rejected = hasRejects ? invalid : 0;
    this.move("rejected", rejected - invalid);
    this.move("skipped", rows - skipped - superseded - rejected);
  }

  /** Leaves out creates of an input that were created before. */
  leaveCreatesOut(counts: CreateCounts, doubtful: readonly EarlierDoubt[]): void {
    this.#newlyChanged += counts.newlyChanged;
    this.noteEarlierDoubt(doubtful);
  }

  /** Notes creates of an input that earlier runs left in doubt. */
  noteEarlierDoubt(doubtful: readonly EarlierDoubt[]): void {
    for (const { run, doubt, records } of doubtful)
      this.earlier.push({ run, doubt, hasRejects: false, inDoubt: records });
  }

  /** Moves rows that were read from not sent to rejected or skipped. */
  move(outcome: "rejected" | "skipped", rows: number): void {
    this.#counts[outcome] += rows;
    this.#counts.notSent -= rows;
  }

  settle(file: string, settled: Settled): void {
    const rows = settled.records.length;
    this.#batches += 1;
    this.#counts[settled.outcome] += rows;
    this.#counts.notSent -= rows;
    const { outcome, kind } = settled;
    if (outcome === "accepted") return;
    const first = settled.records.at(0);
    const last = settled.records.at(-1);
    if (first === undefined || last === undefined) return;
    this.#note({ outcome, kind, file, firstLine: first.line, lastLine: last.line, rows });
  }

  /** Counts records that may have been sent, by the journal, as in doubt. */
  leaveInDoubt(file: string, doubts: readonly Doubt[]): void {
    for (const { kind, lines, records } of doubts) {
      this.#counts.inDoubt += records;
      this.#counts.notSent -= records;
      this.#note({ outcome: "inDoubt", kind, file, firstLine: lines[0], lastLine: lines[1], rows: records });
    }
  }

  /** The ending that follows from these counts. */
  end(unpinned: readonly string[], failure: RecPushError | undefined): RunEnd {
    return {
      read: this.#read,
      counts: this.counts,
      batches: this.#batches,
      // Stretches in doubt come first, so that they are listed however many were refused.
      whereabouts: [...joinStretches(this.#doubts), ...joinStretches(this.#others)],
      runs: this.runs,
      doneRuns: this.doneRuns,
      openRuns: this.openRuns.filter((run) => !this.runs.includes(run)),
      earlier: this.earlier,
      newlyChanged: this.#newlyChanged,
      doubts: this.doubts,
      unpinned,
      failure,
    };
  }

  get read(): number {
    return this.#read;
  }

  get notSent(): number {
    return this.#counts.notSent;
  }

  get counts(): Counts {
    return { ...this.#counts };
  }

  #note(stretch: Whereabouts): void {
    const list = stretch.outcome === "inDoubt" ? this.#doubts : this.#others;
    if (list.length < MAX_WHEREABOUTS) list.push(stretch);
  }
}

/**
 * The stretches in the order of their files and lines; those of one kind and outcome that follow each other, or overlap,
 * are one. Batches settle in any order, and many of them fail in a row where the service is down.
 */
export function joinStretches(stretches: readonly Whereabouts[]): readonly Whereabouts[] {
  const files = [...new Set(stretches.map(({ file }) => file))];
  const sorted = stretches.toSorted(
    (one, other) => files.indexOf(one.file) - files.indexOf(other.file) || one.firstLine - other.firstLine,
  );
  const joined: Whereabouts[] = [];
  for (const stretch of sorted) {
    const at = joined.findLastIndex(
      ({ file, kind, outcome }) =>
        file === stretch.file && kind === stretch.kind && outcome === stretch.outcome,
    );
    const before = joined[at];
    if (before === undefined || stretch.firstLine > before.lastLine + 1) joined.push(stretch);
    else
      joined[at] = {
        ...before,
        lastLine: Math.max(before.lastLine, stretch.lastLine),
        rows: before.rows + stretch.rows,
      };
  }
  return joined;
}
