import { join } from "node:path";
import type { RunAccount } from "../../src/store/count-run.ts";
import type { NumberRange } from "../../src/store/number-ranges.ts";
import { placesIn } from "../../src/store/state-directory.ts";
import { type KeptRun, loadKept } from "../../src/store/summarise-run.ts";
import type { AppliedRecord } from "./chaos-service.ts";
import type { Counters } from "./counters.ts";
import type { ChaosRow } from "./rows.ts";

/** What became of the records of a run. */
interface RunStanding extends Pick<RunAccount, "doubt" | "standingOf"> {
  readonly count: (outcome: "accepted" | "refused" | "inDoubt") => number;
}

/** How a world ended, as rec-push sees it. */
export interface WorldEnd {
  readonly account: RunStanding;
  /** The run that sent the creates: this run, or the one before. */
  readonly creates: RunStanding;
  /** The last summary. */
  readonly summary: Readonly<Record<string, unknown>>;
  /** The stretches that `rec-push runs` lists as in doubt: their lines and numbers of records. */
  readonly named: readonly { readonly lines: NumberRange; readonly records: number }[];
}

const OUTCOMES = ["accepted", "refused", "failed", "inDoubt", "rejected", "notSent", "skipped"];

/** Compares what rec-push says with what the service holds. */
export function judgeWorld(
  rows: readonly ChaosRow[],
  applied: readonly AppliedRecord[],
  { account, creates, summary, named }: WorldEnd,
  counters: Counters,
): void {
  const created = createdOf(applied);
  const values = valuesOf(applied);
  counters.twice += created.length - new Set(created).size;
  const createdNumbers = new Set(created);
  const lastAccepted = new Map<string, string>();
  let inDoubt = 0;
  for (const { kind, ordinal, key, number, line } of rows) {
    const standing = (kind === "create" ? creates : account).standingOf(kind, ordinal);
    if (standing === undefined) counters.lost += 1;
    if (key !== undefined) {
      if (standing === "accepted") lastAccepted.set(key, number);
      if (standing === "accepted" && !values.has(key)) counters.lost += 1;
      continue;
    }
    const isApplied = createdNumbers.has(number);
    if (standing === "accepted" && !isApplied) counters.lost += 1;
    if (standing === "inDoubt") {
      inDoubt += 1;
      if (!named.some(({ lines: [first, last] }) => first <= line && line <= last))
        counters.unnamedDoubt += 1;
    } else if (isApplied && standing !== "accepted") counters.unnamedDoubt += 1;
  }
  const listed = named.reduce((sum, { records }) => sum + records, 0);
  counters.unnamedDoubt += Math.abs(listed - inDoubt);
  for (const key of new Set([...values.keys(), ...lastAccepted.keys()])) {
    if (values.get(key) !== lastAccepted.get(key)) counters.staleKeys += 1;
  }
  const countOf = (name: string): number => Number(summary[name] ?? 0);
  const told = OUTCOMES.reduce((sum, outcome) => sum + countOf(outcome), 0);
  counters.lost += Math.abs(rows.length - told) + Math.abs(rows.length - countOf("read"));
  for (const outcome of ["accepted", "refused", "inDoubt"] as const)
    counters.lost += Math.abs(countOf(outcome) - account.count(outcome));
}

/** Numbers of the created records, in the order of creation. */
export function createdOf(applied: readonly AppliedRecord[]): string[] {
  return applied.flatMap(({ key, number }) => (key === undefined ? [number] : []));
}

/** By key: the number that the service was given last. */
function valuesOf(applied: readonly AppliedRecord[]): ReadonlyMap<string, string> {
  return new Map(applied.flatMap(({ key, number }) => (key === undefined ? [] : [[key, number]])));
}

/**
 * Compares rows that must all be in the service with what it received, but for creates that may be missing, whatever rec-push
 * says.
 */
export function judgeHeld(
  rows: readonly ChaosRow[],
  applied: readonly AppliedRecord[],
  counters: Counters,
  mayBeMissing: ReadonlySet<string> = new Set(),
): void {
  const created = createdOf(applied);
  const [held, values] = [new Set(created), valuesOf(applied)];
  const last = new Map<string, string>();
  counters.twice += created.length - held.size;
  for (const { key, number } of rows) {
    if (key !== undefined) last.set(key, number);
    else if (!held.has(number) && !mayBeMissing.has(number)) counters.lost += 1;
  }
  for (const [key, number] of last) if (values.get(key) !== number) counters.staleKeys += 1;
}

/** True if records are left that the next command would send. */
export function leavesWork(summary: Readonly<Record<string, unknown>> | undefined): boolean {
  return Number(summary?.["failed"] ?? 0) + Number(summary?.["notSent"] ?? 0) > 0;
}

/** What rec-push says about the run of a summary: its journal or the book, and the events of `rec-push runs --json`. */
export async function readWorldEnd(
  stateHome: string,
  summary: WorldEnd["summary"],
  events: readonly Readonly<Record<string, unknown>>[],
  rows: readonly ChaosRow[],
): Promise<WorldEnd> {
  const load = async (run: string): Promise<KeptRun> => {
    const kept = await loadKept(placesIn(join(stateHome, "rec-push")), run);
    if (kept === undefined) throw new Error(`the run ${run} is not kept`);
    return kept;
  };
  const told = events.find((run) => run["run"] === summary["run"]);
  if (told === undefined) throw new Error(`rec-push runs does not list ${JSON.stringify(summary)}`);
  const kept = await load(String(told["run"]));
  const { createdBy } = kept.begun;
  const inDoubtAt = told["inDoubtAt"] as readonly Record<"first" | "last" | "rows", number>[];
  const named = inDoubtAt.map(({ first, last, rows }) => ({ lines: [first, last] as const, records: rows }));
  // A run that was killed after its end is finished; the next command sent the updates again in a new run.
  const creates = createdBy === undefined ? kept : await load(createdBy);
  return { account: standingIn(kept, rows), creates: standingIn(creates, rows), summary, named };
}

/** Of a finished run only counts are kept: each row was accepted but those that the service refuses, whatever their batch. */
function standingIn({ stored, end }: KeptRun, rows: readonly ChaosRow[]): RunStanding {
  if (stored !== undefined) return stored.account;
  const { state, counts } = end.kept.shown;
  if (state !== "finished") throw new Error(`a run without a journal is ${state}`);
  const bad = new Set(rows.flatMap(({ kind, ordinal, isBad }) => (isBad ? [`${kind} ${ordinal}`] : [])));
  return {
    doubt: undefined,
    count: (outcome) => counts[outcome],
    standingOf: (kind, ordinal) => (bad.has(`${kind} ${ordinal}`) ? "refused" : "accepted"),
  };
}
