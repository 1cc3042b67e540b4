import type { SurveyReport } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import { showText } from "../model/visible-text.ts";
import type { Paint } from "./paint.ts";
import { describeProblem } from "./problem-line.ts";
import { showCount } from "./quantities.ts";
import type { Reporter } from "./reporter.ts";
import { joinPins } from "./survey-lines.ts";
import type { Tell } from "./tell.ts";

/** The rest is counted: a screen of rejects says as much as a thousand. */
const MAX_REJECT_LINES = 20;

/** A ready `--map` line for each of a hundred columns must come whole. */
const MAX_FAILURE_LENGTH = 32_768;

/** Output and form of the remarks. */
export interface RemarksOptions {
  readonly tell: Tell;
  readonly paint: Paint;
  /** Only errors, rejects, and the pins that a nightly run could miss one day. */
  readonly isQuiet: boolean;
  /** True where the notes of a file come below lines that name it. */
  readonly isBelowSurvey: boolean;
  /** The place that lists every reject, once there are too many. */
  readonly allRejects: string;
}

/** The remarks that people need in every form of output: errors, rejects, notices, notes on a file, pins. */
export function createRemarksReporter(options: RemarksOptions): Reporter {
  const { tell, paint, isQuiet, isBelowSurvey, allRejects } = options;
  let rejects = 0;

  function tellNotes({ reading, counts, notices }: SurveyReport): void {
    const lead = isBelowSurvey ? "  note:" : `${showText(reading.file)}: note:`;
    if (counts !== undefined && counts.repeatedKeys > 0 && counts.superseded === 0) {
      const atLeast = counts.repeatedKeysBounded ? "at least " : "";
      const rows = `${atLeast}${showCount(counts.repeatedKeys, "row")}`;
      tell([`${lead} ${rows} with a key of an earlier row; the last one stays`]);
    }
    tell(notices.map(({ text }) => paint.yellow(`${lead} ${showText(text, 600)}`)));
  }

  function tellPins({ reading, pins }: SurveyReport): void {
    const shown = joinPins(isQuiet ? pins.filter(({ what }) => what !== "delimiter") : pins);
    if (shown === undefined) return;
    tell([paint.yellow(`${showText(reading.file)}: inferred; to fix it for good, add: ${shown}`)]);
  }

  return {
    emit(event) {
      switch (event.kind) {
        case "survey":
          if (!isQuiet) tellNotes(event.survey);
          return tellPins(event.survey);
        case "notice":
          if (!isQuiet || event.isAlwaysShown === true) tell([showText(event.notice.text, 2000)]);
          break;
        case "reject":
          rejects += 1;
          if (rejects <= MAX_REJECT_LINES) tell([describeProblem(event.file, event.problem)]);
          break;
        case "summary":
          if (rejects > MAX_REJECT_LINES)
            tell([`... and ${showCount(rejects - MAX_REJECT_LINES, "problem")} more; ${allRejects}`]);
          break;
        case "run":
        case "resumed":
        case "settled":
        case "waiting":
        case "surveying":
        case "progress":
          break;
      }
    },
    fail: (failure) => tell(describeFailure(failure, paint)),
    close: () => undefined,
  };
}

/** `error: orders.csv:7:3: ...`, the message's further lines, and the hint below them. */
function describeFailure({ message, hint }: RecPushError, paint: Paint): string[] {
  const lines = message.split("\n").map((line) => showText(line, MAX_FAILURE_LENGTH));
  const [first = "", ...rest] = lines;
  const mend =
    hint === undefined ? [] : hint.split("\n").map((line) => `  ${showText(line, MAX_FAILURE_LENGTH)}`);
  return [`${paint.red("error:")} ${first}`, ...rest, ...mend];
}
