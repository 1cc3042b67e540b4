import { showDuration } from "../../model/quantities.ts";
import { markup, type Markup } from "./markup.ts";

const HEIGHT = 190;
const TOP = 18;
const BOTTOM = 22;
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM;
/** Units from the left to the right end of the drawing, which is as wide as the page. */
const WIDTH = 1000;
const LINES = 4;
const MOST_MARKS = 6;

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

/**
 * Draws a chart as SVG, in the colours of the page. Only the lines are stretched to the width of the page: its words have
 * the same size on every screen.
 */
export function drawChart({ label, stepMs, series, isFilled, show }: Chart): Markup {
  const steps = Math.max(1, ...series.map(({ values }) => values.length));
  const top = niceTop(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const x = (step: number): string => round((step / steps) * WIDTH);
  const y = (value: number): string => round(INNER_HEIGHT * (1 - value / top));
  const levels = Array.from({ length: LINES + 1 }, (_, at) => (top * at) / LINES);
  const grid = levels.map((level) => {
    const height = round(TOP + Number(y(level)));
    const name = level === 0 ? undefined : markup`<text x="0" y="${height}" dy="-4">${show(level)}</text>`;
    return [markup`<line class="grid" x1="0" x2="100%" y1="${height}" y2="${height}" />`, name] as const;
  });
  const marks = timesUpTo(steps * stepMs).map((ms, at, all) => {
    const share = (ms / stepMs / steps) * 100;
    const anchor = ms === 0 ? "start" : at === all.length - 1 && share > 92 ? "end" : "middle";
    return markup`<text x="${round(share)}%" y="${HEIGHT - 5}" text-anchor="${anchor}">${showMark(ms)}</text>`;
  });
  const lines = series.map(({ values }, at) => {
    const runs = runsOf(values).map((run) => pathOf(run, x, y, isFilled && at === 0));
    return markup`<path class="line line-${at + 1}${isFilled && at === 0 ? " filled" : ""}" d="${runs.join(" ")}" vector-effect="non-scaling-stroke" />`;
  });
  return markup`<svg class="chart" width="100%" height="${HEIGHT}" role="img" aria-label="${label}"><title>${label}</title>${grid.map(([line]) => line)}<svg x="0" y="${TOP}" width="100%" height="${INNER_HEIGHT}" viewBox="0 0 ${WIDTH} ${INNER_HEIGHT}" preserveAspectRatio="none" overflow="visible">${lines}</svg>${grid.map(([, name]) => name)}${marks}</svg>`;
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

const [S, MIN, H] = [1000, 60_000, 3_600_000];
const SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30].map((seconds) => seconds * S);
const MINUTES = [1, 2, 5, 10, 30].map((minutes) => minutes * MIN);
const MARK_STEPS = [...SECONDS, ...MINUTES];

/** Round times from 0 on, as many as there is room for. */
function timesUpTo(lastMs: number): readonly number[] {
  let step = MARK_STEPS.find((ms) => lastMs / ms < MOST_MARKS) ?? H;
  while (lastMs / step >= MOST_MARKS) step *= 2;
  return Array.from({ length: Math.floor(lastMs / step) + 1 }, (_, at) => at * step);
}

/** `0`, `0.5 s`, `30 s`, `2 min`, `1 h 30 min` */
function showMark(ms: number): string {
  if (ms === 0) return "0";
  return showDuration(ms)
    .replace(/\.0 s$/, " s")
    .replace(/ 00 (?:s|min)$/, "");
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
