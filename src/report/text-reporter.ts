import {
  type ConfigUse,
  type Settled,
  showCount,
  showDuration,
  type Summary,
  type SurveyReport,
} from "../model/decimal-of.ts";
import { EXIT } from "../model/exit-code.ts";
import { quoteText, showText } from "../model/refer-to-sheets.ts";
import { joinReporters, type Reporter } from "./reporter.ts";
import { createRemarksReporter } from "./remarks-reporter.ts";
import {
  describeBatch,
  describeColumn,
  describeFormats,
  describeOpenRuns,
  describeStretch,
  describeSummary,
  describeSurvey,
  type Stretch,
  stretchOf,
} from "./summary-lines.ts";
import { type OutputStream, type Paint, type Progress, type Tell, tellOn } from "./terminal-lines.ts";

/** Where a text reporter writes, and how much. */
export interface TextReporterOptions {
  /** For results: a line per batch, the columns of a check, the summary. */
  readonly results: OutputStream;
  /** For notices and errors. */
  readonly remarks: OutputStream;
  readonly progress: Progress;
  readonly paint: { readonly results: Paint; readonly remarks: Paint };
  readonly amount: "quiet" | "normal" | "verbose";
  /** A check shows every column and counts nothing as sent. */
  readonly isCheck: boolean;
}

/** Output in words: results on one stream, remarks on the other. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { progress, paint, amount, isCheck } = options;
  const isQuiet = amount === "quiet";
  const reminder = createReminder(options.remarks);
  const tellResults = reminder.counted(tellOn(options.results, progress));
  const tellRemarks = reminder.counted(tellOn(options.remarks, progress));
  const shown = { emit: progress.update, fail: () => undefined, close: progress.stop };
  const context = createContextReporter({
    tell: tellRemarks,
    tellSurvey: isCheck ? tellResults : tellRemarks,
    isVerbose: amount === "verbose",
    isCheck,
  });
  const remarks = createRemarksReporter({
    tell: tellRemarks,
    paint: paint.remarks,
    isQuiet,
    isBelowSurvey: true,
    allRejects: "--json tells each",
    columns: () => (options.remarks.isTTY === true ? options.remarks.columns : undefined),
    remember: reminder.remember,
  });
  const results = createResultsReporter({
    tell: tellResults,
    paint: paint.results,
    grow: options.results.isTTY === true ? progress.grow : undefined,
    amount,
    isCheck,
  });
  const again: Reporter = {
    emit: (event) => {
      if (event.kind === "summary") tellRemarks(reminder.scrolledAway());
    },
    fail: () => undefined,
    close: () => undefined,
  };
  const all = joinReporters([...(isQuiet ? [] : [context]), remarks, again, results, shown]);
  // The batches came before the failure that ended the run.
  return { ...all, fail: joinReporters([results, remarks]).fail };
}

/** The height of a screen if it is not known, and of a log, whose end people look at. */
const USUAL_ROWS = 24;

/** Remembers lines that a person should have seen, and says which have scrolled away. */
interface Reminder {
  /** The same output, with its lines counted. */
  readonly counted: (tell: Tell) => Tell;
  readonly remember: (lines: readonly string[]) => void;
  /** The remembered lines after which a full screen of other lines has come. */
  readonly scrolledAway: () => readonly string[];
}

/** A reminder for the height of this stream. */
function createReminder({ rows }: OutputStream): Reminder {
  const remembered = new Map<string, number>();
  let told = 0;
  return {
    counted: (tell) => (lines) => {
      told += lines.length;
      tell(lines);
    },
    remember: (lines) => lines.forEach((line) => remembered.set(line, told)),
    scrolledAway: () =>
      [...remembered].filter(([, at]) => told - at >= (rows ?? USUAL_ROWS) - 1).map(([line]) => line),
  };
}

/** Where the context is written, and how much of it. */
interface ContextOptions {
  readonly tell: Tell;
  /** For how the files are read, which is the result of a check. */
  readonly tellSurvey: Tell;
  readonly isVerbose: boolean;
  /** A check shows every column, and has no run. */
  readonly isCheck: boolean;
}

/** The context for a user at the terminal: config, how files are read, settled formats, the open run, waits. */
function createContextReporter({ tell, tellSurvey, isVerbose, isCheck }: ContextOptions): Reporter {
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

/** One line per config: `config: /srv/rec-push.config.json, table "commandes"` */
function describeConfigs(configs: readonly ConfigUse[], wanted: string): string[] {
  const hasTable = configs.some(({ table }) => table !== undefined);
  return configs.map(({ path, tables, table, profile }) => {
    const parts = [`config: ${showText(path, 400)}`];
    if (table !== undefined) parts.push(`table ${quoteText(table)}`);
    else if (!hasTable && tables.length > 0) {
      const known = tables.map((name) => quoteText(name)).join(", ");
      parts.push(
        wanted === ""
          ? `no table used, --table names one of ${known}`
          : `nothing for the table ${quoteText(wanted)}, only for ${known}`,
      );
    }
    if (profile !== undefined) parts.push(`profile ${quoteText(profile)}`);
    return parts.join(", ");
  });
}

/** If a service refuses each record for a different reason, that must not push everything else off the screen. */
const MAX_TROUBLE_LINES = 100;

/** Where the results go, and in what form. */
interface ResultsOptions {
  readonly tell: Tell;
  readonly paint: Paint;
  /** Shows lines that still grow; `undefined` if the results do not go to a terminal, or nothing can be drawn on it. */
  readonly grow: Progress["grow"];
  readonly amount: "quiet" | "normal" | "verbose";
  /** A check counts nothing as sent. */
  readonly isCheck: boolean;
}

/**
 * The results in words: a line per batch, or per group of batches with one outcome, then the summary with what to do
 * next.
 */
function createResultsReporter(options: ResultsOptions): Reporter {
  const { tell, paint, grow, amount, isCheck } = options;
  const fold = new Fold();
  let fileCount = 1;
  let isTold = false;
  let troubleLines = 0;

  function tellBatch(file: string, settled: Settled): void {
    const isGood = settled.outcome === "accepted";
    if (amount === "quiet" && isGood) return;
    if (amount === "verbose") return tell([lineOf(file, isGood, describeBatch(settled))]);
    const { ended, isNew } = fold.add(file, settled);
    tellEnded(ended);
    if (grow !== undefined) return grow(fold.growing.map((each) => lineOfStretch(each)));
    // A log is read while it is written, so trouble is shown before its last batch.
    if (isNew && !isGood) tellTrouble(lineOf(file, isGood, describeBatch(settled)));
  }

  function tellEnded(stretches: readonly FileStretch[]): void {
    if (stretches.length === 0) return;
    grow?.([]);
    for (const stretch of stretches) {
      if (stretch.about.outcome === "accepted") tell([lineOfStretch(stretch)]);
      else if (grow !== undefined) tellTrouble(lineOfStretch(stretch));
      else if (stretch.batches > 1) tellTrouble(lineOfStretch(stretch, " in all"));
    }
  }

  function tellTrouble(line: string): void {
    troubleLines += 1;
    if (troubleLines <= MAX_TROUBLE_LINES) tell([line]);
  }

  function lineOfStretch(stretch: FileStretch, after = ""): string {
    return lineOf(stretch.file, stretch.about.outcome === "accepted", describeStretch(stretch) + after);
  }

  function lineOf(file: string, isGood: boolean, text: string): string {
    const line = `${fileCount > 1 ? `${showText(file)}: ` : ""}${text}`;
    return isGood ? line : paint.red(line);
  }

  function tellRest(): void {
    tellEnded(fold.end());
    const left = troubleLines - MAX_TROUBLE_LINES;
    if (left > 0) tell([`... and ${showCount(left, "line")} more like these; --verbose shows every batch`]);
    troubleLines = 0;
  }

  function tellSummary(summary: Summary): void {
    tellRest();
    const isGood = summary.exitCode === EXIT.ok;
    if (amount === "quiet" && isGood) {
      // What the user has to do is printed under --quiet too.
      const steps = isCheck ? [] : summary.next.map((step) => `Next: ${step}`);
      return tell([...describeOpenRuns(summary), ...steps]);
    }
    const [first = "", ...rest] = describeSummary(summary, { isCheck, isTold });
    tell([isGood ? paint.green(first) : paint.bold(first), ...rest]);
  }

  return {
    emit(event) {
      if (event.kind === "run") fileCount = event.files.length;
      if (event.kind === "settled") tellBatch(event.file, event.settled);
      if (event.kind === "summary") tellSummary(event.summary);
    },
    fail: () => {
      isTold = true;
      tellRest();
    },
    close: tellRest,
  };
}

/** How many stretches grow at the same time; one more ends the one that has not grown for longest. */
const MAX_GROWING = 6;

/** A stretch of a file. */
interface FileStretch extends Stretch {
  readonly file: string;
}

/** Folds batches with the same kind, outcome and answer into stretches, whatever order they come in. */
class Fold {
  /** The one that grew last comes last. */
  #growing: FileStretch[] = [];

  /** Adds a batch; returns the stretches that it ended: those of another file, and one if there are too many. */
  add(file: string, settled: Settled): { readonly ended: readonly FileStretch[]; readonly isNew: boolean } {
    const ended = this.#growing.some((stretch) => stretch.file !== file) ? this.end() : [];
    const one = stretchOf(settled);
    const at = this.#growing.findLastIndex((stretch) => areAlike(stretch.about, one.about));
    const isNew = at < 0;
    const stretch = isNew ? { file, ...one } : grow(this.#growing[at]!, one);
    if (!isNew) this.#growing.splice(at, 1);
    this.#growing.push(stretch);
    if (this.#growing.length <= MAX_GROWING) return { ended, isNew };
    return { ended: [...ended, ...this.#growing.splice(0, 1)], isNew };
  }

  /** The stretches that are still growing, in the order of their lines. */
  get growing(): readonly FileStretch[] {
    return this.#growing.toSorted((one, other) => one.firstLine - other.firstLine);
  }

  /** Ends all of them. */
  end(): readonly FileStretch[] {
    const ended = this.growing;
    this.#growing = [];
    return ended;
  }
}

function areAlike(one: Stretch["about"], other: Stretch["about"]): boolean {
  return (
    one.kind === other.kind &&
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.msg === other.msg
  );
}

function grow(stretch: FileStretch, more: Stretch): FileStretch {
  return {
    ...stretch,
    batches: stretch.batches + more.batches,
    rows: stretch.rows + more.rows,
    attempts: stretch.attempts + more.attempts,
    firstLine: Math.min(stretch.firstLine, more.firstLine),
    lastLine: Math.max(stretch.lastLine, more.lastLine),
  };
}
