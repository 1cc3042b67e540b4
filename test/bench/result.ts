import type { Usage } from "./measure.ts";

/** Medians of one way, without those that were not measured. */
export interface Result extends Usage {
  readonly who: string;
  /** Share of the requests that the service's limit allowed in the time from first to last. */
  readonly limitUsed: number | undefined;
  /** Share of the requests that the service refused. */
  readonly refused: number | undefined;
}

/** The median; `undefined` if one of the values is. */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length || known.length === 0) return undefined;
  const sorted = known.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle]!;
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2;
}

/** Results as a Markdown table, with the time of each as a share of the first one's. */
export function showResults(results: readonly Result[]): string {
  const show = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? "";
  const rows = [
    ["who", "s", "by the first", "CPU s", "peak MB", "limit used", "refused"],
    ...results.map(({ who, seconds, cpuSeconds, peakMb, limitUsed, refused }) => [
      who,
      show(seconds, seconds < 1 ? 3 : 1),
      show(seconds / results[0]!.seconds, 2),
      show(cpuSeconds, 1),
      show(peakMb, 0),
      show(limitUsed, 3),
      show(refused, 3),
    ]),
  ];
  const widths = rows[0]!.map((_, at) => Math.max(3, ...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}
