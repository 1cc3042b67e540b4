import { showCount, showDuration, showInteger } from "../../model/quantities.ts";
import { drawChart } from "./draw-chart.ts";
import { markup, type Markup } from "./markup.ts";
import type { RunReport } from "./run-report.ts";
import { showTable } from "./show-table.ts";

/** Throughput and latency over time, drawn and as numbers. */
export function showTimeline({ timeline, waits }: RunReport): Markup | undefined {
  const { stepMs, points } = timeline;
  if (points.length === 0) return undefined;
  const rates = points.map(({ rows }) => (rows * 1000) / stepMs);
  const show = (value: number): string =>
    value < 10 ? String(Number(value.toPrecision(2))) : showInteger(Math.round(value));
  const waited =
    waits.times === 0
      ? ""
      : ` It waited ${showCount(waits.times, "time")}, ${showDuration(waits.ms)} in all.`;
  return markup`<section><h2>Speed over time</h2><p class="soft">Since the first request, in steps of ${showDuration(stepMs)}.${waited}</p><h3>Rows settled a second</h3>${drawChart({ label: "Rows settled a second, over time", stepMs, series: [{ name: "rows", values: rates }], isFilled: true, show })}<h3>Milliseconds from the first attempt of a batch to its end</h3><p class="soft"><span class="key">mean</span> <span class="key two">longest</span></p>${drawChart(
    {
      label: "Milliseconds from the first attempt of a batch to its end, over time: mean and longest",
      stepMs,
      series: [
        { name: "mean", values: points.map(({ meanMs }) => meanMs) },
        { name: "longest", values: points.map(({ longestMs }) => longestMs) },
      ],
      isFilled: false,
      show,
    },
  )}<details><summary>The same in numbers</summary>${showTable(
    ["#From", "#Rows", "#Batches", "#Mean ms", "#Longest ms"],
    points.map(({ atMs, rows, batches, meanMs, longestMs }) => [
      showDuration(atMs),
      showInteger(rows),
      showInteger(batches),
      meanMs === null ? "" : showInteger(meanMs),
      longestMs === null ? "" : showInteger(longestMs),
    ]),
  )}</details></section>\n`;
}
