import { EXIT } from "./exit-code.ts";
import { showCount } from "./quantities.ts";
import type { RunSummary } from "./run-summary.ts";
import { quoteWord } from "./shell-word.ts";
import { showText } from "./visible-text.ts";

/** What is left to do about a run, in order; nothing if it is finished. */
export function stepsOfRun(summary: RunSummary): readonly string[] {
  if (summary.running !== undefined) return ["wait until it has ended"];
  return [...stepsOfState(summary), ...mendSteps(summary)];
}

/** Without its input, how it was read is only known to whoever pushed it. */
function mendSteps({ run, rowsToMend }: RunSummary): readonly string[] {
  if (rowsToMend === undefined) return [];
  const { path, rows, isThere, hasInput } = rowsToMend;
  if (!isThere)
    return [
      `${showText(path, 400)} is gone, and ${showCount(rows, "row")} of it ${rows === 1 ? "was" : "were"} never mended and pushed: push a file that holds ${rows === 1 ? "it" : "them"}, then rec-push runs --abandon ${run}`,
    ];
  const how = hasInput
    ? `; rec-push resume ${run} names the command that pushes that file`
    : ", and push that file with the options of its push";
  return [`mend the ${showCount(rows, "row")} in ${showText(path, 400)}${how}`];
}

function stepsOfState(summary: RunSummary): readonly string[] {
  const { run, file, state, counts, exitCode, takenOverBy } = summary;
  switch (state) {
    case "unfinished":
      return [
        ...stepsToSend(summary),
        ...stepsOfDoubt(summary),
        ...(exitCode === EXIT.request
          ? [`if the URL or the table was wrong: rec-push runs --abandon ${run}`]
          : []),
      ];
    case "unsettled":
      return stepsOfDoubt(summary);
    case "finished":
      // Nothing but what the user said to be absent. Whether a later push has sent it, the run does not know.
      return counts.notSent === 0
        ? []
        : [
            `push ${showText(file)} again, unless that was done since: it creates the ${showCount(counts.notSent, "row")} that ${counts.notSent === 1 ? "was" : "were"} said not to be there`,
          ];
    case "abandoned":
      // Only the ledger still knows of it.
      return counts.inDoubt === 0 || takenOverBy === undefined
        ? []
        : [
            `check in the service whether the records in doubt are there; if they are there: rec-push resume ${run} --in-doubt applied`,
            `if they are not: rec-push resume ${run} --in-doubt absent, then push the file again, which creates them`,
          ];
  }
}

/** The step for a run without survey that an invalid row stopped: as it was begun, it would stop there again. */
export function skipInvalid(run: string): string {
  return `send the other rows, and write the invalid ones to a file to be mended: rec-push resume ${run} --on-invalid skip`;
}

/** The steps that send what an unfinished run has left. */
export function stepsToSend({ run, file, inputNow, after, code }: RunSummary): readonly string[] {
  const first = after === undefined ? "" : `once the run ${after} is finished, `;
  if (inputNow === undefined && code === "invalid-row") return [skipInvalid(run)];
  if (inputNow === undefined && code === "database-version")
    return [`give the right database version, and push ${showText(file)} again, which closes this run`];
  if (inputNow === undefined) return [`${first}rec-push resume ${run} sends the rest`];
  const what = inputNow === "gone" ? "is gone" : "has changed since";
  return [
    `${showText(file)} ${what}: bring it back as it was, then rec-push resume ${run} sends the rest`,
    `if it cannot be brought back, give the run up, then push a file that holds its rows: rec-push runs --abandon ${run}`,
  ];
}

function stepsOfDoubt({ run, counts, doubts, doubtFile, inputNow }: RunSummary): readonly string[] {
  if (counts.inDoubt === 0) return [];
  // Without its file the run can send nothing.
  const oneByOne = oneByOneFor(doubts);
  const absent =
    inputNow === undefined
      ? `resend${oneByOne}`
      : "absent, then push a file that holds them, which creates them";
  return [
    `check in the service whether the records in doubt are there; if they are there: rec-push resume ${run} --in-doubt applied`,
    `if they are not: rec-push resume ${run} --in-doubt ${absent}`,
    ...(counts.inDoubt === 1
      ? []
      : [someAreThere(run, inputNow === undefined ? doubtFile : undefined, oneByOne)]),
  ];
}

/** The end of a command that sends records in doubt again: alone, only the bad ones of a refused request are refused. */
export function oneByOneFor(doubts: readonly { readonly isRefused: boolean }[]): string {
  return doubts.some(({ isRefused }) => isRefused) ? " --batch-size 1" : "";
}

/**
 * The step for a run of which only some of the records in doubt are in the service; `path` is the file of the rows in
 * doubt.
 */
export function someAreThere(run: string, path: string | undefined, oneByOne: string): string {
  if (path === undefined)
    return `if only some are there: rec-push resume ${run} --in-doubt absent, then rec-push ledger add FILE --table NAME for a file of those that are there, then push the whole file again`;
  return `if only some are there: delete their rows from ${showText(path, 400)}, which sends the others: rec-push resume ${run} --in-doubt-file ${quoteWord(path)}${oneByOne}`;
}
