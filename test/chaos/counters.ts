/** The counts of a chaos run. All but the kills must stay zero. */
export interface Counters {
  kills: number;
  /** Creates that were applied more than once. */
  twice: number;
  /** Rows that count as accepted and were not applied, or that have no outcome. */
  lost: number;
  /** Creates whose outcome rec-push does not know and does not list as in doubt. */
  unnamedDoubt: number;
  /** Keys whose value is not that of the last accepted row. */
  staleKeys: number;
}

export function newCounters(): Counters {
  return { kills: 0, twice: 0, lost: 0, unnamedDoubt: 0, staleKeys: 0 };
}

export function showCounters({ kills, twice, lost, unnamedDoubt, staleKeys }: Counters): string {
  return `kills=${kills} twice=${twice} lost=${lost} unnamed-doubt=${unnamedDoubt} stale-keys=${staleKeys}`;
}

export function areClean({ twice, lost, unnamedDoubt, staleKeys }: Counters): boolean {
  return twice + lost + unnamedDoubt + staleKeys === 0;
}
