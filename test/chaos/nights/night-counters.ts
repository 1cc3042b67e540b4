/** The counts of nights. `twice`, `lost`, `untold` and `stuck` must stay zero. */
export interface NightCounters {
  nights: number;
  commands: number;
  kills: number;
  /** Records in the service beyond the true orders. */
  twice: number;
  /** Rows that were reported as accepted or created before, and are not in the service. */
  lost: number;
  /** Rows that were not reported, and exit codes and counts that contradict the results of the rows. */
  untold: number;
  /**
   * Nights without an end: a question that is asked again after its answer, an exit code with no way to go on, too many
   * commands.
   */
  stuck: number;
  /** Rows that were left out, and reported, because they are equal to the row of another order. */
  chances: number;
  /** Questions answered. */
  asked: number;
  /** Doubts settled. */
  doubts: number;
  /** Parts of the state that were taken away for a push. */
  parts: number;
  /** Pushes that stopped because of that. */
  stops: number;
}

export function newNightCounters(): NightCounters {
  const names = "nights commands kills twice lost untold stuck chances asked doubts parts stops".split(" ");
  return Object.fromEntries(names.map((name) => [name, 0])) as unknown as NightCounters;
}

export function showNights(counters: NightCounters): string {
  return Object.entries(counters)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ");
}

/** What must stay zero. */
export function badOf({ twice, lost, untold, stuck }: NightCounters): number {
  return twice + lost + untold + stuck;
}
