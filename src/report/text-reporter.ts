import type { RunEvent, Summary, SurveyReport } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";
import { describeBatch } from "./batch-line.ts";
import { describeConfigs } from "./config-line.ts";
import type { OutputStream } from "./output-stream.ts";
import type { Paint } from "./paint.ts";
import { describeProblem } from "./problem-line.ts";
import type { Progress } from "./progress.ts";
import { showCount, showDuration } from "./quantities.ts";
import type { Reporter } from "./reporter.ts";
import { describeSummary } from "./summary-lines.ts";
import { describeColumn, describeFormats, describeSurvey, joinPins } from "./survey-lines.ts";
import { showText } from "../model/visible-text.ts";

/** The rest is counted: a screen of rejects says as much as a thousand. */
const MAX_REJECT_LINES = 20;

/** A ready `--map` line for each of a hundred columns must come whole. */
const MAX_FAILURE_LENGTH = 32_768;

/** Where and how much a text reporter writes. */
export interface TextReporterOptions {
  /** Results: a line a batch, the columns of a check, the summary. */
  readonly results: OutputStream;
  /** Notices and errors. */
  readonly remarks: OutputStream;
  readonly progress: Progress;
  readonly paint: { readonly results: Paint; readonly remarks: Paint };
  readonly amount: "quiet" | "normal" | "verbose";
  /** A check shows every column and counts nothing as sent. */
  readonly isCheck: boolean;
}

/** Words for people: results on one stream, remarks on the other. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { results, remarks, progress, paint, amount, isCheck } = options;
  let fileCount = 1;
  let rejects = 0;
  let isTold = false;
  const isQuiet = amount === "quiet";
  const tell = (stream: OutputStream, lines: readonly string[]): void => {
    if (lines.length > 0) progress.write(() => void stream.write(lines.map((line) => `${line}\n`).join("")));
  };

  function tellSurvey(survey: SurveyReport): void {
    const about = isCheck ? results : remarks;
    const pins = joinPins(isQuiet ? survey.pins.filter(({ what }) => what !== "delimiter") : survey.pins);
    if (!isQuiet) {
      const columns =
        isCheck || amount === "verbose"
          ? survey.columns.flatMap(describeColumn)
          : describeFormats(survey.columns.filter(({ settledBy }) => settledBy !== undefined));
      tell(about, [describeSurvey(survey), ...columns.map((line) => `  ${line}`)]);
      if (survey.repeatedKeys > 0 && survey.superseded === undefined) {
        const atLeast = survey.repeatedKeysBounded ? "at least " : "";
        tell(remarks, [
          `  note: ${atLeast}${showCount(survey.repeatedKeys, "row")} with a key of an earlier row; the last one stays`,
        ]);
      }
      tell(
        remarks,
        survey.notices.map(({ text }) => paint.remarks.yellow(`  note: ${showText(text, 600)}`)),
      );
    }
    if (pins === undefined) return;
    const file = showText(survey.reading.file);
    tell(remarks, [paint.remarks.yellow(`${file}: inferred; to fix it for good, add: ${pins}`)]);
  }

  function tellBatch(file: string, settled: Settled): void {
    if (isQuiet && settled.outcome === "accepted") return;
    const line = `${fileCount > 1 ? `${showText(file)}: ` : ""}${describeBatch(settled)}`;
    tell(results, [settled.outcome === "accepted" ? line : paint.results.red(line)]);
  }

  function tellSummary(summary: Summary): void {
    if (isQuiet && summary.exitCode === 0) return;
    if (rejects > MAX_REJECT_LINES) {
      tell(remarks, [`... and ${showCount(rejects - MAX_REJECT_LINES, "problem")} more; --json tells each`]);
    }
    const [first = "", ...rest] = describeSummary(summary, { isCheck, isTold });
    tell(results, [summary.exitCode === 0 ? paint.results.green(first) : paint.results.bold(first), ...rest]);
  }

  return {
    emit(event: RunEvent) {
      progress.update(event);
      switch (event.kind) {
        case "run":
          fileCount = event.files.length;
          if (!isQuiet) tell(remarks, describeConfigs(event.configs ?? [], event.table));
          if (amount === "verbose" && !isCheck)
            tell(remarks, [`run ${event.run}: table ${event.table} at ${event.url}`]);
          break;
        case "survey":
          return tellSurvey(event.survey);
        case "resumed":
          if (!isQuiet)
            tell(remarks, [
              `${showText(event.file)}: going on with the open run ${event.run}, ${showCount(event.settledRows, "row")} of it are settled`,
            ]);
          break;
        case "notice":
          if (!isQuiet || event.isAlwaysShown === true) tell(remarks, [showText(event.notice.text, 600)]);
          break;
        case "settled":
          return tellBatch(event.file, event.settled);
        case "reject":
          rejects += 1;
          if (rejects <= MAX_REJECT_LINES) tell(remarks, [describeProblem(event.file, event.problem)]);
          break;
        case "waiting":
          if (amount === "verbose") tell(remarks, [`waiting ${showDuration(event.forMs)}: ${event.why}`]);
          break;
        case "summary":
          return tellSummary(event.summary);
        case "surveying":
        case "progress":
          break;
      }
    },
    fail(failure: RecPushError) {
      isTold = true;
      tell(remarks, describeFailure(failure, paint.remarks));
    },
    close: () => progress.stop(),
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
