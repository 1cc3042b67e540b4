import type { RunAccount } from "../../src/store/count-run.ts";
import type { NumberRange } from "../../src/store/number-ranges.ts";
import type { AppliedRecord } from "./chaos-service.ts";
import type { Counters } from "./counters.ts";
import type { ChaosRow } from "./rows.ts";

/** What became of the records of a run. */
export interface RunStanding extends Pick<RunAccount, "doubt" | "standingOf"> {
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
  const values = new Map(applied.flatMap(({ key, number }) => (key === undefined ? [] : [[key, number]])));
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
