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
  return {
    nights: 0,
    commands: 0,
    kills: 0,
    twice: 0,
    lost: 0,
    untold: 0,
    stuck: 0,
    chances: 0,
    asked: 0,
    doubts: 0,
    parts: 0,
    stops: 0,
  };
}

export function showNights(counters: NightCounters): string {
  return Object.entries(counters)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ");
}

export function areCleanNights({ twice, lost, untold, stuck }: NightCounters): boolean {
  return twice + lost + untold + stuck === 0;
}
