import type { Writable } from "node:stream";
import { showCount, showDuration, showInteger } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { showText } from "../model/text.ts";
import { steadyMs } from "../model/steady-ms.ts";
import { type Progress, textWidth } from "./terminal-lines.ts";

const MS_BETWEEN_LINES = 60_000;
const MS_BETWEEN_LOOKS = 1000;

/** Time, and calls at regular intervals until the returned function is called; tests have their own. */
export interface Ticker {
  readonly now: () => number;
  readonly every: (ms: number, look: () => void) => () => void;
}

/** The clock of this process. The timer does not keep the process alive. */
export const SYSTEM_TICKER: Ticker = {
  now: steadyMs,
  every(ms, look) {
    const timer = setInterval(look, ms).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Progress for logs: a plain line per minute on standard error, and one when the service stops answering; none in a short
 * run.
 */
export function createPlainProgress(stderr: Writable, { now, every }: Ticker = SYSTEM_TICKER): Progress {
  const progress = new RunProgress();
  let lastMs = now();
  let isSilent = false;
  const tell = (): void => {
    const view = progress.view(now());
    if (view === undefined) return;
    lastMs = now();
    stderr.write(`${drawProgress(view)}\n`);
  };
  const stop = every(MS_BETWEEN_LOOKS, () => {
    const wasSilent = isSilent;
    isSilent = progress.view(now())?.silentMs !== undefined;
    if ((isSilent && !wasSilent) || now() - lastMs >= MS_BETWEEN_LINES) tell();
  });
  return {
    update: (event) => progress.note(event, now()),
    grow: undefined,
    stop,
  };
}

const MAX_FILE_LENGTH = 40;

/** How far a run is, in words, the most important first; words without news are left out. */
function progressParts(view: ProgressView): readonly string[] {
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

/** One line of at most `columns`: as many of the words as fit. */
export function drawProgress(view: ProgressView, columns = Infinity): string {
  const [first = "", ...parts] = progressParts(view);
  let line = showText(first, columns);
  for (const part of parts) if (textWidth(`${line}, ${part}`) <= columns) line += `, ${part}`;
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

/** `12 s`, `3 min 05 s` */
function showSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.max(1, Math.round(ms / 1000))} s` : showDuration(ms);
}

/** Before this, the speed says nothing. */
const MEASURED_AFTER_MS = 500;

/** If a service has not answered for this long, that is worth reporting. */
const SILENT_AFTER_MS = 10_000;
/** Before this, the speed says nothing about the rest. */
const GUESS_AFTER_MS = 2000;

type Waiting = Extract<RunEvent, { event: "waiting" }>;

/** A step of a run, and how far it is. */
interface Step {
  readonly step: "reading" | "surveying" | "sending";
  /** The file that is being read. */
  readonly file: string;
  /** Rows surveyed, or settled, so far. */
  readonly rows: number;
  readonly totalRows: number | undefined;
  /** The share of this step that is done, from 0 to 1. */
  readonly share: number | undefined;
}

/** How far a run is at a given moment. */
export type ProgressView = NonNullable<ReturnType<RunProgress["view"]>>;

/** Follows the events of a run and knows at any time how far it is. Times are milliseconds of one clock. */
export class RunProgress {
  #step: Step | undefined;
  /** When the step began, and with which rows. */
  #began = { rows: 0, atMs: 0 };
  #requestsInFlight = 0;
  #retries = 0;
  /** When the service last answered or, before that, when the first request was sent. */
  #lastSignMs = 0;
  #waiting: { readonly event: Waiting; readonly untilMs: number } | undefined;

  note(event: RunEvent, nowMs: number): void {
    const { event: kind } = event;
    if (kind === "surveying") {
      const { file, rows, isSurvey, share } = event;
      const step = isSurvey ? "surveying" : "reading";
      this.#enter({ step, file, rows, totalRows: undefined, share }, nowMs);
    }
    if (kind === "progress") {
      const { settledRows: rows, totalRows } = event;
      const share = totalRows === undefined ? undefined : rows / totalRows;
      this.#enter({ step: "sending", file: "", rows, totalRows, share }, nowMs);
    }
    if (kind === "request") this.#noteRequest(event.change, nowMs);
    if (kind === "waiting") this.#waiting = { event, untilMs: nowMs + event.ms };
    // The step is over: until the next one nothing is expected.
    if (kind === "survey" || kind === "ready" || kind === "summary") this.#step = undefined;
  }

  /** `undefined` before there is anything to show. */
  view(nowMs: number) {
    const isSending = this.#requestsInFlight > 0 || this.#waiting !== undefined;
    const step: Step | undefined =
      this.#step?.step !== "sending" && isSending
        ? { step: "sending", file: "", rows: 0, totalRows: undefined, share: undefined }
        : this.#step;
    if (step === undefined) return undefined;
    const rowsPerSecond = this.#rowsPerSecond(step, nowMs);
    const silentMs = this.#requestsInFlight > 0 ? nowMs - this.#lastSignMs : 0;
    const waitMs = (this.#waiting?.untilMs ?? 0) - nowMs;
    return {
      ...step,
      rowsPerSecond,
      msLeft: this.#msLeft(step, rowsPerSecond, nowMs),
      requestsInFlight: this.#requestsInFlight,
      retries: this.#retries,
      /** How long requests have been in flight without any answer, if that is long. */
      silentMs: silentMs >= SILENT_AFTER_MS ? silentMs : undefined,
      /** A pause of all requests. */
      waiting:
        this.#waiting !== undefined && waitMs > 0
          ? { msLeft: waitMs, why: this.#waiting.event.reason, isAsked: this.#waiting.event.isAsked }
          : undefined,
    };
  }

  #enter(step: Step, nowMs: number): void {
    if (step.step !== this.#step?.step) this.#began = { rows: step.rows, atMs: nowMs };
    this.#step = step;
  }

  #rowsPerSecond(step: Step, nowMs: number): number | undefined {
    const ms = nowMs - this.#began.atMs;
    return step !== this.#step || ms < MEASURED_AFTER_MS
      ? undefined
      : ((step.rows - this.#began.rows) * 1000) / ms;
  }

  #noteRequest(change: Extract<RunEvent, { event: "request" }>["change"], nowMs: number): void {
    if (change === "ended" || this.#requestsInFlight === 0) this.#lastSignMs = nowMs;
    this.#requestsInFlight += change === "ended" ? -1 : 1;
    if (change === "sentAgain") this.#retries += 1;
  }

  #msLeft({ step, totalRows, rows }: Step, perSecond: number | undefined, nowMs: number): number | undefined {
    if (step !== "sending" || totalRows === undefined || perSecond === undefined || perSecond === 0)
      return undefined;
    if (nowMs - this.#began.atMs < GUESS_AFTER_MS || rows >= totalRows) return undefined;
    return ((totalRows - rows) / perSecond) * 1000;
  }
}
