import type { AppliedRecord } from "./chaos-service.ts";
import type { ChaosRow } from "./rows.ts";

/** Numbers of the created records, in the order of creation. */
export function createdOf(applied: readonly AppliedRecord[]): string[] {
  return applied.flatMap(({ key, number }) => (key === undefined ? [number] : []));
}

/** By key: the number of its last record. */
function lastOf(records: readonly Pick<AppliedRecord, "key" | "number">[]): ReadonlyMap<string, string> {
  return new Map(records.flatMap(({ key, number }) => (key === undefined ? [] : [[key, number]])));
}

/** Throws unless the service holds each create once and, of each key, the last row. */
export function judgeHeld(rows: readonly ChaosRow[], applied: readonly AppliedRecord[]): void {
  const created = createdOf(applied);
  const [held, values] = [new Set(created), lastOf(applied)];
  const twice = created.filter((number, at) => created.indexOf(number) !== at);
  const lost = rows.filter(({ key, number }) => key === undefined && !held.has(number));
  const stale = [...lastOf(rows)].filter(([key, number]) => values.get(key) !== number);
  if (twice.length + lost.length + stale.length > 0)
    throw new Error(`twice, lost, stale: ${JSON.stringify([twice, lost, stale])}`);
}
