import type { DoubtFile } from "../model/event.ts";
import type { DoubtfulRun } from "../model/run-end.ts";
import { oneByOneFor, someAreThere } from "../model/run-steps.ts";
import { showText } from "../model/visible-text.ts";

/** The steps for the records that a push has in doubt, run by run. */
export function ownDoubtSteps(
  doubts: readonly DoubtfulRun[],
  doubtFiles: readonly DoubtFile[],
): readonly string[] {
  return doubts.flatMap(({ run: name, calledBy, file, records, isRefused = false, repeatableUntil }) => {
    const oneByOne = oneByOneFor([{ isRefused }]);
    const run = calledBy ?? name;
    const they = doubts.length === 1 ? "they" : `those of ${showText(file, 400)}`;
    const repeat = repeatableUntil === undefined ? [] : [repeatStep(run, repeatableUntil)];
    const path = doubtFiles.find((one) => one.run === name)?.path;
    return [
      ...repeat,
      `if ${they} are there: rec-push resume ${run} --in-doubt applied`,
      `if they are not: rec-push resume ${run} --in-doubt resend${oneByOne}`,
      ...(records === 1 ? [] : [someAreThere(run, path, oneByOne)]),
    ];
  });
}

/** The service applies a request with a key that it knows only once, however often it is sent. */
function repeatStep(run: string, repeatableUntil: number): string {
  const until = new Date(repeatableUntil).toISOString().slice(0, 16).replace("T", " ");
  return `until ${until} UTC, while the service knows their keys, send them again as they were: rec-push resume ${run}`;
}
