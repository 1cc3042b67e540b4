import type { EarlierPush } from "../ledger/decide-start.ts";
import type { CreateCounts, EarlierDoubt } from "../ledger/exports-rule.ts";
import type { Counts, Outcome, Settled, SurveyCounts } from "../model/counts.ts";
import type { Doubt, DoubtfulRun, EarlierEnd, RunEnd } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import type { ShownRun } from "../store/book-entries.ts";
import type { RunAccount } from "../store/count-run.ts";

/** The rows of a run by outcome, from its journal. */
export function tallyRun(account: RunAccount): Tally {
  const tally = new Tally();
  const { facts, counts } = account;
  const { rejected, skipped } = counts;
  tally.addRead(facts.totals.read);
  tally.move("rejected", rejected);
  tally.move("skipped", skipped);
  tally.restore(account);
  return tally;
}

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
  /** The runs in which the inputs were pushed, in order. */
  readonly runs: string[] = [];
  /** Those of them that have nothing left to do. */
  readonly doneRuns: string[] = [];
  /** The run with which the only input goes on, as soon as it is known. */
  toResume: string | undefined;
  /** The runs that are open on the table, as far as the command has got. */
  openRuns = new Set<string>();
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
    if (doubt !== undefined) this.doubts.push({ ...about, doubt, doubts, left: notSent + failed });
  }

  /** Counts rows of an input as read; they are not sent until they settle. */
  addRead(rows: number): void {
    this.#read += rows;
    this.#counts.notSent += rows;
  }

  /** Counts what an earlier process of the run settled. */
  restore(account: RunAccount): void {
    for (const outcome of ["accepted", "refused", "inDoubt"] as const) {
      const rows = account.count(outcome);
      this.#counts.notSent -= rows;
      this.#counts[outcome] += rows;
    }
    this.#batches += account.batches;
  }

  /** Counts the rows of a closed run. */
  recall({ read, counts }: Pick<ShownRun, "read" | "counts">, batches: number): void {
    this.#read += read;
    this.#batches += batches;
    for (const outcome of Object.keys(counts) as Outcome[]) this.#counts[outcome] += counts[outcome];
  }

  /** Leaves out all rows of an input; `earlier`: the push of its content that was made before this command. */
  leaveOut({ rows, invalid, skipped, superseded }: SurveyCounts, earlier: EarlierPush | undefined): void {
    const hasRejects = earlier?.leftIn !== undefined;
    if (earlier !== undefined) this.earlier.push({ run: earlier.run, hasRejects, inDoubt: 0 });
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

  settle({ records, outcome }: Settled): void {
    this.#batches += 1;
    this.#counts[outcome] += records.length;
    this.#counts.notSent -= records.length;
  }

  /** Counts records that may have been sent, by the journal, as in doubt. */
  leaveInDoubt(doubts: readonly Doubt[]): void {
    for (const { records } of doubts) {
      this.#counts.inDoubt += records;
      this.#counts.notSent -= records;
    }
  }

  /** The ending that follows from these counts. */
  end(unpinned: readonly string[], failure: RecPushError | undefined): RunEnd {
    return {
      read: this.#read,
      counts: this.counts,
      batches: this.#batches,
      runs: this.runs,
      doneRuns: this.doneRuns,
      openRuns: [...this.openRuns].filter((run) => !this.runs.includes(run)),
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
}
