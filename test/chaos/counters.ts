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

/** Lives worlds one after the other until so many processes were killed, from the `first` one of a seed on. */
export async function liveWorlds(
  live: (seed: number, counters: Counters, maxKills: number, world: number) => Promise<void>,
  { kills, seed, first = 1 }: { readonly kills: number; readonly seed: number; readonly first?: number },
  say: (line: string) => void = () => undefined,
): Promise<Counters> {
  const counters = newCounters();
  for (let world = first; counters.kills < kills; world++) {
    await live(seed + world * 2, counters, kills - counters.kills, world);
    say(`world ${world}: ${showCounters(counters)}`);
  }
  return counters;
}
