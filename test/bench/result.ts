/** Medians of one peer; what was not measured is left out. */
export interface PeerResult {
  readonly who: string;
  readonly seconds: number;
  /** How many times as fast as the straightforward script; for start-up, how many times as long as Node alone. */
  readonly ratio?: number;
  readonly cpuSeconds?: number | undefined;
  readonly peakMb?: number | undefined;
  /** Share of the requests that the service's limit allowed in the time from first to last. */
  readonly limitUsed?: number | undefined;
  /** Share of the requests that the service refused. */
  readonly refused?: number;
}

/** What rec-push is held to, and what was measured. */
export interface TargetResult {
  readonly target: string;
  readonly measured: number;
  readonly isMet: boolean;
}

/** One scenario of a bench run. */
export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly peers: readonly PeerResult[];
  readonly targets: readonly TargetResult[];
  readonly notes: readonly string[];
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of those that were measured. */
export function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}

/** A target of at least so much; nothing where one side was not measured. */
export function atLeast(target: string, measured: number | undefined, limit: number): TargetResult[] {
  return measured === undefined ? [] : [{ target, measured, isMet: measured >= limit }];
}

/** A target of at most so much; nothing where it was not measured. */
export function atMost(target: string, measured: number | undefined, limit: number): TargetResult[] {
  return measured === undefined ? [] : [{ target, measured, isMet: measured <= limit }];
}
