import { RecPushError } from "../model/failure.ts";
import { showText } from "../model/visible-text.ts";

/** The failure if the place of rejects holds rows; `directory` is that of the run that is resumed. */
export function holdsRows(path: string, directory: string | undefined): RecPushError {
  const what =
    directory === undefined
      ? "it already holds rows"
      : "it holds rows that this run did not write, or that were changed since";
  return new RecPushError(
    "usage",
    "rejects-place",
    `the rejects cannot go to ${showText(path, 400)}: ${what}`,
    { hint: "push its rows and remove it, or name another file with --rejects" },
  );
}
