import { showCount, showDuration, showInteger } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { textWidth } from "./text-width.ts";
import type { Glyphs } from "./glyphs.ts";
import type { ProgressView } from "./run-progress.ts";

const BETWEEN = "  ";
const BAR = { narrow: 10, wide: 20 };
/** From this width on, the wide bar leaves enough room for the words. */
const WIDE_FROM = 100;
const MAX_FILE_LENGTH = 40;

/** The words for how far a run is, the most important first; words that say nothing at the moment are left out. */
export function progressParts(view: ProgressView): readonly string[] {
  const { waiting, silentMs, share, rowsPerSecond, msLeft, retries, step } = view;
  const percent = share === undefined ? [] : [`${Math.floor(share * 100)} %`];
  const speed = rowsPerSecond === undefined ? [] : [`${showInteger(Math.round(rowsPerSecond))} rows/s`];
  if (step !== "sending")
    return [`${step} ${showText(view.file, MAX_FILE_LENGTH)}`, ...percent, ...rowsOf(view), ...speed];
  const again = retries === 0 ? [] : [showCount(retries, "retry")];
  if (waiting !== undefined) return [describeWait(waiting), ...percent, ...rowsOf(view), ...again];
  if (silentMs !== undefined)
    return [
      `no answer for ${showSeconds(silentMs)}`,
      ...percent,
      ...rowsOf(view),
      ...flightOf(view),
      ...again,
    ];
  const left = msLeft === undefined ? [] : [`${showSeconds(msLeft)} left`];
  return [...percent, ...rowsOf(view), ...left, ...speed, ...flightOf(view), ...again];
}

/** One line of at most `columns`: the bar, and as many of the words as fit. */
export function drawProgress(view: ProgressView, columns: number, glyphs: Glyphs): string {
  const bar =
    view.share === undefined
      ? []
      : [drawBar(view.share, columns < WIDE_FROM ? BAR.narrow : BAR.wide, glyphs)];
  const [first = "", ...parts] = progressParts(view);
  let line = [...bar, first].join(BETWEEN);
  if (textWidth(line) > columns) line = showText(first, columns);
  for (const part of parts) if (textWidth(line + BETWEEN + part) <= columns) line += BETWEEN + part;
  return line;
}

function rowsOf({ rows, totalRows }: ProgressView): readonly string[] {
  if (totalRows !== undefined) return [`${showInteger(rows)} of ${showCount(totalRows, "row")}`];
  return rows === 0 ? [] : [showCount(rows, "row")];
}

function flightOf({ requestsInFlight }: ProgressView): readonly string[] {
  return requestsInFlight === 0 ? [] : [`${showInteger(requestsInFlight)} in flight`];
}

function describeWait({ msLeft, why, isAsked }: NonNullable<ProgressView["waiting"]>): string {
  return `waiting ${showSeconds(msLeft)}, ${isAsked ? "the service said so" : showText(why, 60)}`;
}

function drawBar(share: number, width: number, { full, empty }: Glyphs): string {
  const done = Math.floor(share * width);
  return full.repeat(done) + empty.repeat(width - done);
}

/** `12 s`, `3 min 05 s` */
function showSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.max(1, Math.round(ms / 1000))} s` : showDuration(ms);
}
