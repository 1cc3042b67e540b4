import { showDuration } from "../../model/quantities.ts";
import { markup, type Markup } from "./markup.ts";

const WIDTH = 720;
const HEIGHT = 200;
const LEFT = 64;
const RIGHT = 24;
const TOP = 14;
const BOTTOM = 26;
const INNER_WIDTH = WIDTH - LEFT - RIGHT;
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM;
const LINES = 4;
const MOST_MARKS = 7;

/** Numbers over time, in equal steps. */
export interface Chart {
  /** A description for readers who cannot see it. */
  readonly label: string;
  readonly stepMs: number;
  /** One number per step; undefined where nothing is known. If `isFilled`, the area below the first one is filled. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly isFilled: boolean;
  readonly show: (value: number) => string;
}

/** Draws a chart as SVG, in the colours of the page. */
export function drawChart({ label, stepMs, series, isFilled, show }: Chart): Markup {
  const steps = Math.max(1, ...series.map(({ values }) => values.length));
  const top = niceTop(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const x = (step: number): string => round(LEFT + (step / steps) * INNER_WIDTH);
  const y = (value: number): string => round(TOP + INNER_HEIGHT * (1 - value / top));
  const levels = Array.from({ length: LINES + 1 }, (_, at) => (top * at) / LINES);
  const grid = levels.map(
    (level) =>
      markup`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(level)}" y2="${y(level)}" /><text x="${LEFT - 8}" y="${y(level)}" dy="4" text-anchor="end">${show(level)}</text>`,
  );
  const marks = timesUpTo(steps * stepMs).map(
    (ms) =>
      markup`<text x="${x(ms / stepMs)}" y="${HEIGHT - 6}" text-anchor="${ms === 0 ? "start" : "middle"}">${showDuration(ms)}</text>`,
  );
  const lines = series.map(({ values }, at) => {
    const runs = runsOf(values).map((run) => pathOf(run, x, y, isFilled && at === 0));
    return markup`<path class="line line-${at + 1}${isFilled && at === 0 ? " filled" : ""}" d="${runs.join(" ")}" />`;
  });
  return markup`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><title>${label}</title>${grid}${marks}${lines}</svg>`;
}

/** Runs of consecutive known numbers, with their steps. */
function runsOf(values: readonly (number | null)[]): (readonly [step: number, value: number])[][] {
  const runs: (readonly [number, number])[][] = [];
  let run: (readonly [number, number])[] | undefined;
  for (const [step, value] of values.entries()) {
    if (value === null) run = undefined;
    else {
      if (run === undefined) runs.push((run = []));
      run.push([step, value]);
    }
  }
  return runs;
}

/** Each number is drawn over its whole step, so that a single one is visible too. */
function pathOf(
  run: readonly (readonly [step: number, value: number])[],
  x: (step: number) => string,
  y: (value: number) => string,
  isFilled: boolean,
): string {
  const [first] = run[0]!;
  const stairs = run.map(([step, value]) => `V${y(value)}H${x(step + 1)}`).join("");
  const start = `M${x(first)} ${isFilled ? y(0) : y(run[0]![1])}`;
  return isFilled ? `${start}${stairs}V${y(0)}H${x(first)}Z` : `${start}${stairs}`;
}

/** Round times from 0 on, as many as there is room for. */
function timesUpTo(lastMs: number): readonly number[] {
  const [s, min, h] = [1000, 60_000, 3_600_000];
  const steps = [
    0.1 * s,
    0.2 * s,
    0.5 * s,
    s,
    2 * s,
    5 * s,
    10 * s,
    30 * s,
    min,
    2 * min,
    5 * min,
    10 * min,
    30 * min,
  ];
  let step = steps.find((ms) => lastMs / ms < MOST_MARKS) ?? h;
  while (lastMs / step >= MOST_MARKS) step *= 2;
  return Array.from({ length: Math.floor(lastMs / step) + 1 }, (_, at) => at * step);
}

/** The next round number that four lines divide into short numbers. */
function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((top) => top >= most) ?? 10 * power;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
