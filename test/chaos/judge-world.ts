import type { AppliedRecord } from "./chaos-service.ts";
import type { Counters } from "./counters.ts";
import type { ChaosRow } from "./rows.ts";

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
