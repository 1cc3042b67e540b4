import { type Counts, type DoubtFile, showCount, showInteger, showShare } from "./counts.ts";
import { type DoubtfulRun, EXIT, type RejectsFile } from "./exit-code.ts";
import type { FailureCode } from "./failure-codes.ts";
import { LATER_LINE } from "./marker-columns.ts";
import { quoteWord, showText } from "./text.ts";
import type { RecordKind } from "./settlement.ts";

/** What is left to do about a run, in order; nothing if it is finished. */
export function stepsOfRun(summary: RunSummary): readonly string[] {
  if (summary.running !== undefined) return ["wait until it has ended"];
  return [...stepsOfState(summary), ...mendSteps(summary)];
}

function mendSteps({ run, rowsToMend }: RunSummary): readonly string[] {
  if (rowsToMend === undefined) return [];
  const { path, rows, isThere } = rowsToMend;
  if (isThere) return [describeMend(rowsToMend)];
  return [
    `${showText(path, 400)} is gone, and ${showCount(rows, "row")} of it ${rows === 1 ? "was" : "were"} never mended and pushed: push a file that holds ${rows === 1 ? "it" : "them"}, then rec-push runs abandon ${run}`,
  ];
}

/** The command for rows that were not accepted, ready to paste. */
export function describeMend({ path, rows, later, mend }: Omit<RejectsFile, "file">): string {
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

function stepsOfDoubt(summary: RunSummary): readonly string[] {
  const { run, doubt, counts, doubts, doubtFile, inputNow } = summary;
  if (doubt === undefined || counts.inDoubt === 0) return [];
  const isRefused = doubts.some((one) => one.isRefused);
  const about = { called: run, doubt, records: counts.inDoubt, isRefused, file: doubtFile, inputNow };
  const [first = "", ...others] = doubtSteps(about);
  return [`check in the service whether the records in doubt are there; ${first}`, ...others];
}

/** What a run has in doubt. */
interface DoubtToSettle extends Pick<DoubtfulRun, "doubt" | "records" | "isRefused" | "inputNow"> {
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
  const { called, doubt, records, isRefused, file, inputNow, they = "they", option } = about;
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
  const oneByOne = isRefused ? " --batch-size 1" : "";
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

/** The state of a kept run. */
export interface RunSummary {
  readonly run: string;
  readonly state: "finished" | "unfinished" | "unsettled" | "abandoned";
  readonly table: string;
  readonly url: string;
  readonly file: string;
  /** ISO 8601, UTC, like all times. */
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly read: number;
  readonly counts: Counts;
  /** The exit code of the last process that worked on the run. */
  readonly exitCode: number | undefined;
  readonly reason: string;
  /** The failure that stopped that process. */
  readonly code: FailureCode | undefined;
  /** The process that is pushing it now. */
  readonly running: { readonly pid: number; readonly host: string } | undefined;
  /** The places of the records in doubt. */
  readonly doubts: readonly {
    readonly batch: number;
    readonly kind: RecordKind;
    /** The lines of the first and the last record. */
    readonly lines: readonly [first: number, last: number];
    readonly records: number;
    /** The service refused the request as a whole: it would refuse it again. */
    readonly isRefused: boolean;
  }[];
  /** For a run that was abandoned without the user: the run that took its records over. */
  readonly takenOverBy?: string | undefined;
  /** The name of what is in doubt now. */
  readonly doubt: string | undefined;
  /** The file with the rows in doubt. */
  readonly doubtFile?: Omit<DoubtFile, "run"> | undefined;
  /** Its rows that still have to be mended and pushed; `isThere`: their file is. */
  readonly rowsToMend?:
    (Pick<RejectsFile, "path" | "rows" | "later" | "mend"> & { readonly isThere: boolean }) | undefined;
  /** What has become of its file, which it needs in order to send more; `undefined` if that is still the same. */
  readonly inputNow?: "changed" | "gone" | undefined;
}
