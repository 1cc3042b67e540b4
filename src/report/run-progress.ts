import type { RunEvent } from "../model/event.ts";
import { RateWindow } from "./rate-window.ts";

/** If a service has not answered for this long, that is worth reporting. */
const SILENT_AFTER_MS = 10_000;
/** Before this, the speed says nothing about the rest. */
const GUESS_AFTER_MS = 2000;

/** How far a run is at a given moment. */
export interface ProgressView {
  readonly step: "reading" | "surveying" | "sending";
  /** The file that is being read. */
  readonly file: string;
  /** Rows surveyed, or settled, so far. */
  readonly rows: number;
  readonly totalRows: number | undefined;
  /** The share of this step that is done, from 0 to 1. */
  readonly share: number | undefined;
  readonly rowsPerSecond: number | undefined;
  readonly msLeft: number | undefined;
  readonly requestsInFlight: number;
  readonly retries: number;
  /** How long requests have been in flight without any answer, if that is long. */
  readonly silentMs: number | undefined;
  /** A pause of all requests. */
  readonly waiting: { readonly msLeft: number; readonly why: string; readonly isAsked: boolean } | undefined;
}

type Waiting = Extract<RunEvent, { kind: "waiting" }>;
type Step = Pick<ProgressView, "step" | "file" | "rows" | "totalRows" | "share">;

/** Follows the events of a run and knows at any time how far it is. Times are milliseconds of one clock. */
export class RunProgress {
  readonly #rate = new RateWindow();
  #step: Step | undefined;
  #requestsInFlight = 0;
  #retries = 0;
  /** When the service last answered or, before that, when the first request was sent. */
  #lastSignMs = 0;
  #waiting: { readonly event: Waiting; readonly untilMs: number } | undefined;

  note(event: RunEvent, nowMs: number): void {
    switch (event.kind) {
      case "surveying": {
        const { file, rows, isSurvey, share } = event;
        if (isSurvey !== (this.#step?.step === "surveying")) this.#rate.restart();
        this.#enter(
          { step: isSurvey ? "surveying" : "reading", file, rows, totalRows: undefined, share },
          nowMs,
        );
        break;
      }
      case "progress": {
        const { settledRows: rows, totalRows } = event;
        if (this.#step?.step !== "sending") this.#rate.restart();
        const share = totalRows === undefined ? undefined : rows / totalRows;
        this.#enter({ step: "sending", file: "", rows, totalRows, share }, nowMs);
        break;
      }
      case "request":
        return this.#noteRequest(event.change, nowMs);
      case "waiting":
        this.#waiting = { event, untilMs: nowMs + event.forMs };
        break;
      case "survey":
      case "summary":
        // The step is over, and until the next one begins there is nothing to wait for.
        this.#step = undefined;
        this.#rate.restart();
        break;
      case "run":
      case "resumed":
      case "notice":
      case "settled":
      case "problems":
      case "reject":
        break;
    }
  }

  /** `undefined` before there is anything to show. */
  view(nowMs: number): ProgressView | undefined {
    const isSending = this.#requestsInFlight > 0 || this.#waiting !== undefined;
    const step: Step | undefined =
      this.#step?.step !== "sending" && isSending
        ? { step: "sending", file: "", rows: 0, totalRows: undefined, share: undefined }
        : this.#step;
    if (step === undefined) return undefined;
    const rowsPerSecond = this.#rate.perSecond(nowMs);
    const silentMs = this.#requestsInFlight > 0 ? nowMs - this.#lastSignMs : 0;
    const waitMs = (this.#waiting?.untilMs ?? 0) - nowMs;
    return {
      ...step,
      rowsPerSecond,
      msLeft: this.#msLeft(step, rowsPerSecond, nowMs),
      requestsInFlight: this.#requestsInFlight,
      retries: this.#retries,
      silentMs: silentMs >= SILENT_AFTER_MS ? silentMs : undefined,
      waiting:
        this.#waiting !== undefined && waitMs > 0
          ? { msLeft: waitMs, why: this.#waiting.event.why, isAsked: this.#waiting.event.isAsked }
          : undefined,
    };
  }

  #enter(step: Step, nowMs: number): void {
    this.#step = step;
    this.#rate.add(step.rows, nowMs);
  }

  #noteRequest(change: Extract<RunEvent, { kind: "request" }>["change"], nowMs: number): void {
    if (change === "ended" || this.#requestsInFlight === 0) this.#lastSignMs = nowMs;
    this.#requestsInFlight += change === "ended" ? -1 : 1;
    if (change === "sentAgain") this.#retries += 1;
  }

  #msLeft({ step, totalRows, rows }: Step, perSecond: number | undefined, nowMs: number): number | undefined {
    if (step !== "sending" || totalRows === undefined || perSecond === undefined || perSecond === 0)
      return undefined;
    if (this.#rate.forMs(nowMs) < GUESS_AFTER_MS || rows >= totalRows) return undefined;
    return ((totalRows - rows) / perSecond) * 1000;
  }
}
