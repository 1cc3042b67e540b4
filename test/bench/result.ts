import type { Usage } from "./measure.ts";

/** Medians of one peer, without those that were not measured. */
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

/** The unit of a target: a multiple, megabytes, a share, bytes. */
export type Unit = "x" | "MB" | "%" | "bytes";

/** A target of rec-push, and the measured value. */
export interface TargetResult {
  readonly work: string;
  /** `undefined` if this machine cannot measure it. */
  readonly measured: number | undefined;
  readonly limit: number;
  readonly side: "at least" | "at most";
  readonly unit: Unit;
  /** The same ratio in processor time, which is more reliable if other work keeps the cores busy. */
  readonly byCpu?: number | undefined;
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

/** The median of the measured values. */
export function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}

/** The medians of several runs of one peer. */
export function summarise(who: string, usages: readonly Usage[]): PeerResult {
  return {
    who,
    seconds: median(usages.map(({ seconds }) => seconds)),
    cpuSeconds: medianOfKnown(usages.map(({ cpuSeconds }) => cpuSeconds)),
    peakMb: medianOfKnown(usages.map(({ peakMb }) => peakMb)),
  };
}

/** A target of at least this. */
export function atLeast(
  work: string,
  measured: number | undefined,
  limit: number,
  more: More = {},
): TargetResult {
  return { work, measured, limit, side: "at least", unit: "x", ...more };
}

/** A target of at most this. */
export function atMost(
  work: string,
  measured: number | undefined,
  limit: number,
  more: More = {},
): TargetResult {
  return { work, measured, limit, side: "at most", unit: "x", ...more };
}

/** `undefined` if the target was not measured. */
export function isMet({ measured, limit, side }: TargetResult): boolean | undefined {
  if (measured === undefined) return undefined;
  return side === "at least" ? measured >= limit : measured <= limit;
}

/** One figure as a multiple of another; `undefined` if one of them is. */
export function times(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other;
}

type More = Partial<Pick<TargetResult, "unit" | "byCpu">>;
