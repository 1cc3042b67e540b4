/** What nights count. Of these `twice`, `lost`, `untold` and `stuck` must stay zero. */
export interface NightCounters {
  nights: number;
  commands: number;
  kills: number;
  /** Creates that no true order accounts for. */
  twice: number;
  /** Rows that count as accepted, or as created before, and are not there. */
  lost: number;
  /** Rows of which nothing was said, and exit codes and counts that contradict what was said of the rows. */
  untold: number;
  /** Nights that came to no end: asked after the answer, an exit code without a way on, too many commands. */
  stuck: number;
  /** Rows left out, and told, that are equal to another order's. */
  chances: number;
  /** Questions answered. */
  asked: number;
  /** Doubts settled. */
  doubts: number;
  /** Parts of the state that were taken away for a push. */
  parts: number;
  /** Pushes that stopped for that. */
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
