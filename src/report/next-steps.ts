import type { RunEnd } from "../model/run-end.ts";
import { describeMends, type Mend } from "./mend-steps.ts";

/** What a person is told at the end beside the numbers. */
export interface Advice {
  /** One sentence: why it ended so; empty where the numbers say it. */
  readonly reason: string;
  /** What to do next, in the order to do it. */
  readonly next: readonly string[];
  readonly safeToRerun: boolean;
}

/** Endings after which the same command may run again: the table of exit codes. */
const RERUN_AFTER = new Set([0, 1, 7, 8, 9, 129, 130, 143]);

/** The advice for an ending. */
export function adviseNext(end: RunEnd, exitCode: number, mends: readonly Mend[] = []): Advice {
  const steps = stepsOf(end, exitCode, mends.length > 0);
  // Mended last: what is sent until then may add to the files.
  const next = [...steps, ...describeMends(mends)];
  return { reason: reasonOf(end), next, safeToRerun: RERUN_AFTER.has(exitCode) };
}

function reasonOf({ failure, counts, read, earlier }: RunEnd): string {
  if (failure !== undefined) return failure.message.split("\n")[0] ?? "";
  if (counts.inDoubt > 0) return "The service may or may not have applied the records in doubt.";
  if (counts.failed > 0) return "The service kept failing for some batches.";
  if (counts.refused + counts.rejected > 0)
    return "Some rows were not sent or not taken, each is named above.";
  if (earlier.some(({ hasRejects }) => hasRejects)) return "The earlier push left rows to be mended.";
  if (read === counts.skipped) return "Nothing to do.";
  return "";
}

const GOES_ON = "it goes on where this one ended";

/** Another URL or table makes another run; the one that was tried stays open behind it. */
function givenUp({ runs, counts }: RunEnd): string[] {
  const run = runs.at(-1);
  if (run === undefined || counts.accepted + counts.refused + counts.inDoubt > 0) return [];
  return [`if the URL or the table was wrong, give this run up: rec-push runs --abandon ${run}`];
}

const BRING_BACK = [
  `bring the file back as it was, then run the same command again: ${GOES_ON}`,
  "as it is now it is another file: its rows would all be sent, also those that are created already",
];

/** A file that was mended as a whole is other content: pushed again, it would create its records a second time. */
function mendSteps(
  { runs, failure, earlier }: RunEnd,
  hasFiles: boolean,
  again: readonly string[],
): string[] {
  const run = runs.at(-1);
  if (failure?.code === "source-changed") return [...BRING_BACK];
  if (failure?.code === "invalid-row" && run !== undefined) {
    return [
      `send the other rows: rec-push resume ${run} --on-invalid skip; it writes the invalid ones to a file to be mended`,
    ];
  }
  if (hasFiles) return [...again];
  const left = earlier.find(({ hasRejects }) => hasRejects);
  if (left !== undefined) {
    return [
      `nothing, if the rows that the run ${left.run} left were mended and pushed; rec-push runs ${left.run} tells how it ended`,
    ];
  }
  if (run === undefined) return ["mend the rows named above, then run the same command again"];
  return ["mend the rows named above in a file that holds only them, and push that file", ...again];
}

function stepsOf(end: RunEnd, exitCode: number, hasFiles: boolean): string[] {
  const { runs, counts, failure } = end;
  const run = runs.at(-1);
  const again = counts.notSent + counts.failed === 0 ? [] : [`run the same command again: ${GOES_ON}`];
  // A batch that was refused would be refused again; alone, only the bad records are.
  const oneByOne = failure?.code === "creates-refused" ? " --batch-size 1" : "";
  switch (exitCode) {
    case 0:
      return [];
    case 8:
      return [
        "look in the service whether the records in doubt are there",
        ...(run === undefined
          ? []
          : [
              `where they are: rec-push resume ${run} --in-doubt applied`,
              `where they are not: rec-push resume ${run} --in-doubt resend${oneByOne}`,
              "where only some are: the first, and then push a file that holds the missing rows only",
            ]),
      ];
    case 4:
      return mendSteps(end, hasFiles, again);
    case 5:
      return ["give a valid token in REC_PUSH_TOKEN or --token-file", ...again];
    case 6:
      return ["mend the request as the error says", ...again, ...givenUp(end)];
    case 7:
      return ["wait until the service answers again", ...again];
    case 129:
    case 130:
    case 143:
      return again;
    default:
      return failure?.hint === undefined ? [] : [failure.hint];
  }
}
