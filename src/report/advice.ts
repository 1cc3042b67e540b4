import { type DoubtFile, showCount, showInteger, showShare } from "../model/counts.ts";
import {
  type Doubt,
  type DoubtfulRun,
  type EarlierEnd,
  EXIT,
  type RejectsFile,
  type RunEnd,
  type RunSummary,
  SIGNAL_EXIT,
} from "../model/exit-code.ts";
import type { FailureCode } from "../model/failure-codes.ts";
import { LATER_LINE } from "../model/marker-columns.ts";
import { quoteWord, showText } from "../model/text.ts";

/** The end of a run in words, to go with the numbers. */
interface Advice {
  /** One sentence that says why it ended like this; empty if the numbers say it. */
  readonly reason: string;
  /** The next steps, in order. */
  readonly next: readonly string[];
  readonly safeToRerun: boolean;
}

/** Endings after which the same command may be run again, according to the topic exit-codes. */
const RERUN_AFTER: ReadonlySet<number> = new Set([
  EXIT.ok,
  EXIT.fault,
  EXIT.unreachable,
  EXIT.inDoubt,
  EXIT.locked,
  ...Object.values(SIGNAL_EXIT),
]);

/** The advice for an ending. */
export function adviseNext(end: RunEnd, exitCode: number, mends: readonly RejectsFile[] = []): Advice {
  const steps = stepsOf(end, exitCode, mends.length > 0);
  // Mending comes last: what is sent before that may add rows to the files.
  const next = [...steps, ...mends.map(describeMend)];
  return { reason: reasonOf(end), next, safeToRerun: RERUN_AFTER.has(exitCode) };
}

function reasonOf({ failure, counts, read, earlier, newlyChanged }: RunEnd): string {
  if (failure !== undefined) return failure.message.split("\n")[0] ?? "";
  if (counts.inDoubt > 0) return "The service may or may not have applied the records in doubt.";
  if (counts.failed > 0) return "The service kept failing for some batches.";
  const hasRejects = earlier.some((one) => one.hasRejects);
  if (!hasRejects && counts.refused + counts.rejected > 0) return "Some rows were rejected or refused.";
  if (earlier.some(({ inDoubt }) => inDoubt > 0)) return "An earlier push left some of the records in doubt.";
  if (newlyChanged > 0) return "Some records were created before with other values.";
  if (hasRejects) return "The earlier push left rows to be mended.";
  if (read === counts.skipped) return "Nothing to do.";
  return "";
}

const THE_REST = "then run the same command again, which sends the rest";
const GOES_ON = "it continues where this one ended";

/** Another URL or table makes another run: the run with the wrong one would stay open. */
function givenUp({ runs, counts, plan }: RunEnd): string[] {
  if (plan !== undefined)
    return [`if the URL or the table was wrong, give the plan up: rec-push runs abandon --plan ${plan}`];
  const run = runs.at(-1);
  if (run === undefined || counts.accepted + counts.refused + counts.inDoubt > 0) return [];
  return [`if the URL or the table was wrong, give this run up: rec-push runs abandon ${run}`];
}

const BRING_BACK = [
  `bring the file back as it was, then run the same command again: ${GOES_ON}`,
  "its present content makes it a different file: all its rows would be sent, even those that are already created",
];

/** A file that was mended as a whole has other content: pushed again, it would create its records a second time. */
function mendSteps(
  { runs, failure, earlier, counts, newlyChanged }: RunEnd,
  hasFiles: boolean,
  again: readonly string[],
): string[] {
  const run = runs.at(-1);
  if (failure?.code === "source-changed") return [...BRING_BACK];
  // Only creates that were left out, because the service holds them with other values.
  const isOnlyChanged = newlyChanged > 0 && counts.refused + counts.rejected === 0;
  if (hasFiles || isOnlyChanged) return [...again, ...changedSteps(newlyChanged)];
  const left = earlier.find(({ hasRejects }) => hasRejects);
  if (left !== undefined) {
    return [
      `nothing, if you have mended and pushed the rows of the run ${left.run}; rec-push runs ${left.run} says how it ended`,
      `if they are not to be sent any more: rec-push runs abandon ${left.run}`,
    ];
  }
  if (run === undefined) return ["mend those rows, then run the same command again"];
  return ["mend those rows in a file that holds only them, and push that file", ...again];
}

function changedSteps(newlyChanged: number): string[] {
  if (newlyChanged === 0) return [];
  const what =
    newlyChanged === 1 ? "the record that changed" : `the ${showInteger(newlyChanged)} records that changed`;
  return [`correct ${what} in the service by hand: no push can, because the key is not known`];
}

/** While a plan is open its table takes no other push. */
function planSteps({ rejectsFiles = [] }: RunEnd, plan: string): string[] {
  return [
    `mend the rows in ${rejectsFiles.map(({ path }) => showText(path, 400)).join(" and ") || "the files of this shard"}`,
    `push them once the plan is closed: rec-push runs --plan ${plan}`,
  ];
}

/** Earlier runs that left some of the records in doubt; their files may have changed since. */
function earlierDoubt({ earlier }: RunEnd): readonly EarlierEnd[] {
  const doubtful = earlier.filter(({ inDoubt }) => inDoubt > 0);
  return [...new Map(doubtful.map((one) => [one.run, one])).values()];
}

function leftIn({ notSent, failed }: RunEnd["counts"]): number {
  return notSent + failed;
}

function credentialsStep(code: FailureCode | undefined): string {
  if (code === "client-refused")
    return "give a valid client id and secret, in the place that the error names";
  if (code === "certificate-refused") return "give a valid certificate with --cert and --key";
  return "give a valid token, in the place that the error names";
}

/** If a run went on to its end, only records that the user reported as missing are left. */
function absentSteps({ runs, counts, plan }: RunEnd): string[] {
  if (runs.length === 0 || counts.notSent === 0) return [];
  return [
    `${plan === undefined ? "" : "once the plan is closed, "}push the same file again: it creates the records that you reported as missing`,
  ];
}

function stepsOf(end: RunEnd, exitCode: number, hasFiles: boolean): string[] {
  const { counts, failure, doubts } = end;
  const again = leftIn(counts) === 0 ? [] : [`run the same command again: ${GOES_ON}`];
  switch (exitCode) {
    case EXIT.ok:
      return absentSteps(end);
    case EXIT.inDoubt:
      return [
        "check in the service whether the records in doubt are there",
        ...ownDoubtSteps(end),
        // An earlier push may have been of other rows: it is not sent again.
        ...earlierDoubt(end).flatMap(({ run, doubt = "", inDoubt: records }) => {
          const about = { doubts: [{ records, isRefused: false }], inputNow: "gone" } as const;
          return doubtSteps({ ...about, called: run, doubt, they: `those of the run ${run}` });
        }),
        // Resuming a run sends only its own rows.
        ...(leftIn(counts) > doubts.reduce((sum, { left }) => sum + left, 0) ? [THE_REST] : []),
      ];
    case EXIT.refused: {
      const rest = failure === undefined && counts.failed === 0 ? absentSteps(end) : again;
      if (end.plan !== undefined) return [...rest, ...planSteps(end, end.plan)];
      return mendSteps(end, hasFiles, rest);
    }
    case EXIT.credentials:
      return [credentialsStep(failure?.code), ...again];
    case EXIT.request:
      // Another version makes another run, which closes this one.
      if (failure?.code === "database-version" && end.plan === undefined)
        return ["give the right database version, and push the file again", ...givenUp(end)];
      return ["mend the request as the error says", ...again, ...givenUp(end)];
    case EXIT.usage:
      // Without a run nothing has started, and the hint says everything.
      if (end.runs.length === 0) return failure?.hint === undefined ? [] : [failure.hint];
      return ["mend it as the error says", ...again, ...givenUp(end)];
    case EXIT.unreachable:
      return ["wait until the service answers again", ...again];
    case SIGNAL_EXIT.SIGHUP:
    case SIGNAL_EXIT.SIGINT:
    case SIGNAL_EXIT.SIGTERM:
      // Before anything was sent, no row counts as not sent.
      return again.length > 0 || failure === undefined ? again : ["run the same command again"];
    default:
      return failure?.hint === undefined ? [] : [failure.hint];
  }
}

/** The steps for the records that a push has in doubt, run by run. */
function ownDoubtSteps({ doubts, doubtFiles = [], failure, counts, plan }: RunEnd): readonly string[] {
  // Without the option, the records that follow are in doubt too.
  const isAnswer = failure?.code === "other-answer" && plan === undefined && leftIn(counts) > 0;
  const option = isAnswer ? failure.options[0] : undefined;
  return doubts.flatMap((about) => {
    const { run, calledBy: called = run, file: input } = about;
    const file = doubtFiles.find((one) => one.run === run);
    const whose = doubts.length === 1 ? {} : { they: `those of ${showText(input, 400)}` };
    return doubtSteps({ ...about, ...whose, called, file, option });
  });
}

/** What is left to do about a run, in order; nothing if it is finished. */
export function stepsOfRun(summary: RunSummary): readonly string[] {
  if (summary.running !== undefined) return ["wait until it has ended"];
  return [...stepsOfState(summary), ...mendStepsOfRun(summary)];
}

function mendStepsOfRun({ run, rowsToMend }: RunSummary): readonly string[] {
  if (rowsToMend === undefined) return [];
  const { path, rows, isThere } = rowsToMend;
  if (isThere) return [describeMend(rowsToMend)];
  return [
    `${showText(path, 400)} is gone, and ${showCount(rows, "row")} of it ${rows === 1 ? "was" : "were"} never mended and pushed: push a file that holds ${rows === 1 ? "it" : "them"}, then rec-push runs abandon ${run}`,
  ];
}

/** The command for rows that were not accepted, ready to paste. */
function describeMend({ path, rows, later, mend }: Omit<RejectsFile, "file">): string {
  const count = showCount(rows, "row");
  const file = showText(path, 400);
  if (later === rows)
    return `leave the ${count} in ${file}: later rows with the same key were accepted and give all ${rows === 1 ? "its" : "their"} fields`;
  if (mend === undefined)
    return `mend the ${count} in ${file}, and push that file with the options of its push`;
  const { command, leftOut, isOfWorkbook } = mend;
  const secrets = leftOut.length === 0 ? "" : ` (and ${leftOut.join(", ")} as before)`;
  const what = isOfWorkbook ? "that file, which is CSV" : "that file";
  const old =
    later === 0
      ? ""
      : ` (${later} of them with a ${LATER_LINE} ${later === 1 ? "is" : "are"} passed over: later rows gave all their fields)`;
  return `mend the ${count} in ${file}${old}, then push ${what}${secrets}: ${showText(command, command.length)}`;
}

function stepsOfState(summary: RunSummary): readonly string[] {
  const { run, file, state, counts, exitCode, takenOverBy } = summary;
  switch (state) {
    case "unfinished":
      return [
        ...stepsToSend(summary),
        ...stepsOfDoubt(summary),
        ...(exitCode === EXIT.request
          ? [`if the URL or the table was wrong: rec-push runs abandon ${run}`]
          : []),
      ];
    case "unsettled":
      return stepsOfDoubt(summary);
    case "finished":
      // Only records that the user reported as missing. The run does not know whether a later push has sent them.
      return counts.notSent === 0
        ? []
        : [
            `push ${showText(file)} again, unless that was done since: it creates the ${showCount(counts.notSent, "row")} that you reported as missing`,
          ];
    case "abandoned":
      // Only the ledger still records the doubt.
      return takenOverBy === undefined ? [] : stepsOfDoubt({ ...summary, inputNow: "gone" });
  }
}

/** The steps that send what an unfinished run has left. */
function stepsToSend({ run, file, inputNow, code }: RunSummary): readonly string[] {
  if (inputNow === undefined && code === "database-version")
    return [`give the right database version, and push ${showText(file)} again, which closes this run`];
  if (inputNow === undefined) return [`rec-push resume ${run} sends the rest`];
  const what = inputNow === "gone" ? "is gone" : "has changed since";
  return [
    `${showText(file)} ${what}: bring it back as it was, then rec-push resume ${run} sends the rest`,
    `if it cannot be brought back, give the run up, then push a file that holds its rows: rec-push runs abandon ${run}`,
  ];
}

/** What is left to do about the doubt of a run, beginning with the look into the service. */
export function stepsOfDoubt(
  { run, doubt, counts, doubts, doubtFile: file, inputNow }: RunSummary,
  words: Partial<Pick<DoubtToSettle, "called" | "they">> = {},
): readonly string[] {
  if (doubt === undefined || counts.inDoubt === 0) return [];
  const [first = "", ...others] = doubtSteps({ called: run, doubt, doubts, file, inputNow, ...words });
  return [`check in the service whether the records in doubt are there; ${first}`, ...others];
}

/** What a run has in doubt. */
interface DoubtToSettle extends Pick<DoubtfulRun, "doubt" | "inputNow"> {
  readonly doubts: readonly Pick<Doubt, "records" | "isRefused">[];
  /** The words that name the run, or its shard, in a command. */
  readonly called: string;
  readonly file?: Omit<DoubtFile, "run"> | undefined;
  /** The words for the records, if several runs have some. */
  readonly they?: string;
  /** The option that the rest of the run needs if the records are there. */
  readonly option?: string | undefined;
}

/** The steps that settle a doubt: for all of its records being there, none, and some of them. */
export function doubtSteps(about: DoubtToSettle): readonly string[] {
  const { called, doubt, doubts, file, inputNow, they = "they", option } = about;
  const records = doubts.reduce((sum, one) => sum + one.records, 0);
  const decide = `rec-push resume ${called} --in-doubt`;
  const all = `if ${they} are there: ${decide} ${doubt}=applied${option === undefined ? "" : ` ${option}`}`;
  if (inputNow !== undefined) {
    const absent = `${decide} ${doubt}=absent, then`;
    // With those in the ledger, a file may hold them again.
    const some = `${absent} rec-push ledger add FILE --table NAME, where FILE holds those, each as often as the service has it, and no others, then push a file with all of them, which creates the rest`;
    return [
      all,
      `if ${they} are not: ${absent} push a file that holds them, which creates them`,
      ...(records === 1 ? [] : [`if only some are there: ${some}`]),
    ];
  }
  // Sent alone, only the bad records of a refused request are refused.
  const oneByOne = doubts.some(({ isRefused }) => isRefused) ? " --batch-size 1" : "";
  const path = file && showText(file.path, 400);
  const byFile = file && `${decide} ${quoteWord(file.path)}${oneByOne}`;
  if (file?.left !== undefined) {
    const deleted = file.rows - file.left;
    const those = deleted === 1 ? "the deleted one is" : `the ${showInteger(deleted)} deleted are`;
    return [
      `${path} was changed, ${showShare(file.left, file.rows, "row")} ${file.left === 1 ? "is" : "are"} left in it; if ${those} in the service, and no other: ${byFile}`,
    ];
  }
  const none = `if ${they} are not: ${decide} ${doubt}=resend${oneByOne}`;
  if (records === 1) return [all, none];
  return [all, none, `if only some are there: ${someAreThere()}`];

  function someAreThere(): string {
    if (file === undefined)
      return `rec-push resume ${called} writes their rows to a file in which those that are there can be deleted`;
    if (file.fault !== undefined)
      return `remove ${path}, which was changed and cannot be used (${file.fault}), then rec-push resume ${called} writes it again`;
    return `delete their rows from ${path}, which sends the others: ${byFile}`;
  }
}
