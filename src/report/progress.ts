import type { Writable } from "node:stream";
import { showCount, showInteger } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { showText } from "../model/text.ts";
import { type OutputStream, type Progress, showDuration, textWidth } from "./terminal-lines.ts";

const MS_BETWEEN_LINES = 60_000;
const MS_BETWEEN_LOOKS = 1000;
const MS_BETWEEN_DRAWINGS = 100;

/** Time, and calls at regular intervals until the returned function is called; tests have their own. */
interface Ticker {
  readonly now: () => number;
  readonly every: (ms: number, look: () => void) => () => void;
}

/** The clock of this process. The timer does not keep the process alive. */
const SYSTEM_TICKER: Ticker = {
  now: () => performance.now(),
  every(ms, look) {
    const timer = setInterval(look, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Progress for logs: a plain line per minute on standard error; none in a short run. */
export function createPlainProgress(stderr: Writable, { now, every }: Ticker = SYSTEM_TICKER): Progress {
  const progress = new RunProgress();
  let lastMs = now();
  const stop = every(MS_BETWEEN_LOOKS, () => {
    const line = now() - lastMs < MS_BETWEEN_LINES ? undefined : progress.draw(now());
    if (line === undefined) return;
    lastMs = now();
    stderr.write(`${line}\n`);
  });
  return {
    update: (event) => progress.note(event, now()),
    grow: undefined,
    stop,
  };
}

/** In a narrower terminal the words would say nothing any more; in one of no columns, ora would clear lines without end. */
const NARROWEST = 20;
const ESCAPE = String.fromCodePoint(27);
/** Columns that the words leave free: those of the spinner, and the last one, in which some terminals begin a new line. */
const BESIDE_TEXT = 4;

/**
 * Lines that grow and a line of progress at the bottom of a terminal. ora draws them below whatever else is written.
 * Nothing is shown as long as the terminal is narrower than 20 columns or does not know its size (0 columns).
 */
export async function createTerminalProgress(stderr: OutputStream): Promise<Progress> {
  const { default: ora } = await import("ora");
  const { now, every } = SYSTEM_TICKER;
  const stream = stderr as NodeJS.WriteStream;
  const spinner = ora({ stream, color: false, isEnabled: true, discardStdin: false });
  const progress = new RunProgress();
  let growing = "";
  const draw = (): void => {
    const { columns = 80 } = stderr;
    const line = progress.draw(now(), columns - BESIDE_TEXT);
    if (columns < NARROWEST || (line === undefined && growing === "")) {
      // ora goes to the start of the line whenever it stops, and a question may be waiting there.
      if (spinner.isSpinning) spinner.stop();
      return;
    }
    spinner.text = line ?? "";
    spinner.start();
  };
  const stop = every(MS_BETWEEN_DRAWINGS, draw);
  // A terminal that was made narrower has broken the lines into more rows than ora has drawn, and clears.
  const resize = (): void => {
    const { columns = 80 } = stderr;
    const lines = `${growing} - ${spinner.text}`.split("\n");
    const more = lines.reduce((sum, line) => sum + Math.max(0, Math.ceil(textWidth(line) / columns) - 1), 0);
    if (spinner.isSpinning && more > 0 && columns >= NARROWEST)
      stream.write(`${ESCAPE}[${more}A${ESCAPE}[0J`);
    draw();
  };
  stderr.on("resize", resize);
  return {
    update(event) {
      progress.note(event, now());
      // A question may be next.
      if (event.event === "ready") draw();
    },
    grow(lines) {
      growing = lines.map((line) => `${line}\n`).join("");
      spinner.prefixText = growing;
    },
    stop() {
      stop();
      stderr.off("resize", resize);
      spinner.stop();
    },
  };
}

const MAX_FILE_LENGTH = 40;
/** Before this, the speed says nothing. */
const MEASURED_AFTER_MS = 2000;
/** If a service has not answered for this long, that is worth a word. */
const SILENT_AFTER_MS = 10_000;

/** A step of a run, and how far it is. */
interface Step {
  /** `surveying orders.csv`; empty while records are sent. */
  readonly name: string;
  /** Rows surveyed, or settled, so far. */
  readonly rows: number;
  readonly totalRows: number | undefined;
  /** The share of this step that is done, from 0 to 1. */
  readonly share: number | undefined;
}

/** Follows the events of a run and knows at any time how far it is. Times are milliseconds of one clock. */
export class RunProgress {
  #step: Step | undefined;
  /** When the step began, and with which rows. */
  #began = { rows: 0, atMs: 0 };
  /** A pause of all requests. */
  #wait = { why: "", untilMs: 0 };
  /** When sending began, or records were last settled. */
  #settledMs = 0;

  note(event: RunEvent, nowMs: number): void {
    const { event: kind } = event;
    if (kind === "surveying") {
      const { file, rows, isSurvey, share } = event;
      const name = `${isSurvey ? "surveying" : "reading"} ${showText(file, MAX_FILE_LENGTH)}`;
      this.#enter({ name, rows, totalRows: undefined, share }, nowMs);
    }
    if (kind === "progress") {
      const { settledRows: rows, totalRows } = event;
      const share = totalRows === undefined ? undefined : rows / totalRows;
      this.#enter({ name: "", rows, totalRows, share }, nowMs);
      this.#settledMs = nowMs;
    }
    if (kind === "waiting") {
      const why = event.isAsked ? "the service said so" : showText(event.reason, 60);
      this.#wait = { why, untilMs: nowMs + event.ms };
    }
    // The step is over: until the next one nothing is expected.
    if (kind === "survey" || kind === "ready" || kind === "summary") this.#step = undefined;
  }

  /** As many words as fit into a line, the most important first; `undefined` before there is anything to show. */
  draw(nowMs: number, columns = Infinity): string | undefined {
    const step = this.#step;
    if (step === undefined) return undefined;
    const { name, rows, totalRows, share } = step;
    const waitMs = this.#wait.untilMs - nowMs;
    const isWaiting = waitMs > 0;
    const ms = nowMs - this.#began.atMs;
    const perMs = isWaiting || ms < MEASURED_AFTER_MS ? 0 : (rows - this.#began.rows) / ms;
    const silentMs = name === "" && !isWaiting ? nowMs - this.#settledMs : 0;
    const of = totalRows === undefined ? "" : `${showInteger(rows)} of `;
    const left = (totalRows ?? rows) - rows;
    const [first, ...parts] = [
      ...(isWaiting ? [`waiting ${showSeconds(waitMs)}, ${this.#wait.why}`] : []),
      ...(silentMs < SILENT_AFTER_MS ? [] : [`no answer for ${showSeconds(silentMs)}`]),
      ...(name === "" ? [] : [name]),
      ...(share === undefined ? [] : [`${Math.floor(share * 100)} %`]),
      ...(rows === 0 && of === "" ? [] : [`${of}${showCount(totalRows ?? rows, "row")}`]),
      ...(left > 0 && perMs > 0 ? [`${showSeconds(left / perMs)} left`] : []),
      ...(perMs > 0 ? [`${showInteger(Math.round(perMs * 1000))} rows/s`] : []),
    ];
    if (first === undefined) return undefined;
    let line = showText(first, columns);
    for (const part of parts) if (textWidth(`${line}, ${part}`) <= columns) line += `, ${part}`;
    return line;
  }

  #enter(step: Step, nowMs: number): void {
    if (step.name !== this.#step?.name) this.#began = { rows: step.rows, atMs: nowMs };
    this.#step = step;
  }
}

/** `12 s`, `3 min 05 s` */
function showSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.max(1, Math.round(ms / 1000))} s` : showDuration(ms);
}
