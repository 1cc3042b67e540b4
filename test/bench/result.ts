import type { Usage } from "./measure.ts";

/** Medians of one way, without those that were not measured. */
export interface Result extends Usage {
  readonly who: string;
  /** Share of the requests that the service's limit allowed in the time from first to last. */
  readonly limitUsed?: number | undefined;
  /** Share of the requests that the service refused. */
  readonly refused?: number | undefined;
}

type Figure = Exclude<keyof Result, "who">;
type Results = ReadonlyMap<string, Result>;
/** Reads one figure, or the one that is given in place of seconds. */
type Read = (results: Results, instead?: Figure) => number | undefined;

/** A figure of one way. */
export function figure(who: string, name: Figure = "seconds"): Read {
  return (results, instead = name) => results.get(who)?.[name === "seconds" ? instead : name];
}

/** The least figure of several ways. */
export function fastest(ways: readonly string[]): Read {
  return (results, instead) => {
    const known = ways.map((who) => figure(who)(results, instead)).filter((one) => one !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  };
}

/** A figure, or one by another, and the limit that it keeps to. */
export interface Target {
  readonly work: string;
  readonly limit: number;
  readonly side: "at least" | "at most";
  /** `undefined` if this machine cannot measure it. */
  readonly measured: (results: Results) => number | undefined;
  /** The same in processor time, which is more reliable if other work keeps the cores busy. */
  readonly byCpu: (results: Results) => number | undefined;
}

function target(side: Target["side"], limit: number, work: string, one: Read, by?: Read): Target {
  const ratio = (results: Results, instead?: Figure): number | undefined => {
    const [first, second] = [one(results, instead), by?.(results, instead)];
    if (by === undefined) return first;
    return first === undefined || second === undefined ? undefined : first / second;
  };
  return {
    work,
    limit,
    side,
    measured: ratio,
    byCpu: (results) => (by === undefined ? undefined : ratio(results, "cpuSeconds")),
  };
}

export function atLeast(limit: number, work: string, one: Read, by?: Read): Target {
  return target("at least", limit, work, one, by);
}

export function atMost(limit: number, work: string, one: Read, by?: Read): Target {
  return target("at most", limit, work, one, by);
}

/** The middle value, or the mean of the two in the middle; `undefined` if one is not known. */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length || known.length === 0) return undefined;
  const sorted = known.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle]!;
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2;
}

/** Results as a Markdown table. */
export function showResults(results: Results): string {
  const show = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? "";
  return showTable([
    ["who", "s", "CPU s", "peak MB", "limit used", "refused"],
    ...[...results.values()].map(({ who, seconds, cpuSeconds, peakMb, limitUsed, refused }) => [
      who,
      show(seconds, seconds < 1 ? 3 : 1),
      show(cpuSeconds, 1),
      show(peakMb, 0),
      show(limitUsed, 3),
      show(refused, 3),
    ]),
  ]);
}

/** Targets as a Markdown table that shows which of them hold. */
export function showTargets(targets: readonly (readonly [Target, Results])[]): string {
  return showTable([
    ["work", "measured", "by CPU time", "target", "holds"],
    ...targets.map(([{ work, limit, side, measured, byCpu }, results]) => {
      const [value, cpu] = [measured(results), byCpu(results)];
      const isMet = value !== undefined && (side === "at least" ? value >= limit : value <= limit);
      const holds = value === undefined ? "not measured" : isMet ? "yes" : "NO";
      return [work, value?.toFixed(2) ?? "", cpu?.toFixed(2) ?? "", `${side} ${limit}`, holds];
    }),
  ]);
}

/** The first row is the header. */
function showTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(3, ...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}
