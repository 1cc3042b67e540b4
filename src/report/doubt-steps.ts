import type { DoubtFile } from "../model/event.ts";
import type { DoubtfulRun } from "../model/run-end.ts";
import { quoteWord } from "../model/shell-word.ts";
import { showText } from "../model/visible-text.ts";

/**
 * The steps for the records that a push has in doubt, run by run; `oneByOne` is the end of a command that sends them
 * again.
 */
export function ownDoubtSteps(
  doubts: readonly DoubtfulRun[],
  doubtFiles: readonly DoubtFile[],
  oneByOne: string,
): readonly string[] {
  return doubts.flatMap(({ run: name, calledBy, file, records, repeatableUntil }) => {
    const run = calledBy ?? name;
    const they = doubts.length === 1 ? "they" : `those of ${showText(file, 400)}`;
    const repeat = repeatableUntil === undefined ? [] : [repeatStep(run, repeatableUntil)];
    const path = doubtFiles.find((one) => one.run === name)?.path;
    return [
      ...repeat,
      `if ${they} are there: rec-push resume ${run} --in-doubt applied`,
      `if they are not: rec-push resume ${run} --in-doubt resend${oneByOne}`,
      ...(records === 1 ? [] : [someAreThere(run, path)]),
    ];
  });
}

/** The service applies a request with a key that it knows only once, however often it is sent. */
function repeatStep(run: string, repeatableUntil: number): string {
  const until = new Date(repeatableUntil).toISOString().slice(0, 16).replace("T", " ");
  return `until ${until} UTC, while the service knows their keys, send them again as they were: rec-push resume ${run}`;
}

/**
 * The step for a run of which only some of the records in doubt are in the service; `path` is the file of the rows in
 * doubt.
 */
export function someAreThere(run: string, path: string | undefined): string {
  if (path === undefined)
    return `if only some are there: rec-push resume ${run} --in-doubt absent, then rec-push ledger add FILE for a file of those that are there, then push the whole file again`;
  return `if only some are there: delete their rows from ${showText(path, 400)}, which sends the others: rec-push resume ${run} --in-doubt-file ${quoteWord(path)}`;
}
