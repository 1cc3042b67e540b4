import type { SurveyReport } from "../model/event.ts";
import { showText } from "../model/visible-text.ts";
import { describeConfigs } from "./config-line.ts";
import { showCount, showDuration } from "../model/quantities.ts";
import type { Reporter } from "./reporter.ts";
import { describeColumn, describeFormats, describeSurvey } from "./survey-lines.ts";
import type { Tell } from "./tell.ts";

/** Where the context is written, and how much of it. */
export interface ContextOptions {
  readonly tell: Tell;
  /** For how the files are read, which is the result of a check. */
  readonly tellSurvey: Tell;
  readonly isVerbose: boolean;
  /** A check shows every column, and has no run. */
  readonly isCheck: boolean;
}

/** The context for a user at the terminal: config, how files are read, settled formats, the open run, waits. */
export function createContextReporter({ tell, tellSurvey, isVerbose, isCheck }: ContextOptions): Reporter {
  const describeReading = (survey: SurveyReport): string[] => {
    const columns =
      isCheck || isVerbose
        ? survey.columns.flatMap(describeColumn)
        : describeFormats(survey.columns.filter(({ settledBy }) => settledBy !== undefined));
    return [describeSurvey(survey), ...columns.map((line) => `  ${line}`)];
  };
  return {
    emit(event) {
      switch (event.kind) {
        case "run": {
          const { configs = [], run, table, url } = event;
          tell(describeConfigs(configs, table));
          if (isVerbose && !isCheck) tell([`run ${run}: table ${table} at ${url}`]);
          break;
        }
        case "survey":
          return tellSurvey(describeReading(event.survey));
        case "resumed": {
          const settled = `${showCount(event.settledRows, "row")} already settled`;
          return tell([`${showText(event.file)}: going on with the open run ${event.run}, ${settled}`]);
        }
        case "waiting":
          if (isVerbose) tell([`waiting ${showDuration(event.forMs)}: ${event.why}`]);
          break;
        case "notice":
        case "settled":
        case "reject":
        case "problems":
        case "summary":
        case "request":
        case "surveying":
        case "progress":
          break;
      }
    },
    fail: () => undefined,
    close: () => undefined,
  };
}
