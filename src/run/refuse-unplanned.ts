import { RecPushError } from "../model/failure.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { DecidedStarts } from "./pushing.ts";

/** Throws a usage error for inputs of which a shard could not read its part again. */
export function refuseInputs(inputs: readonly SurveyedInput[]): void {
  const contents = new Map<string, string>();
  for (const { source, report } of inputs) {
    const { format, fingerprint } = report.reading;
    if (source.keep !== undefined || source.fd === undefined)
      throw notPlanned(
        `${source.name} can be read only once`,
        "save it as a file first, where every shard can read it",
      );
    if (format === "xlsx")
      throw notPlanned(
        `${source.name} is an Excel workbook`,
        "save it as CSV (UTF-8), or push it without a plan",
      );
    const same = contents.get(fingerprint);
    if (same !== undefined)
      throw notPlanned(`${source.name} has the same content as ${same}`, "leave one of them out");
    contents.set(fingerprint, source.name);
  }
}

/** The failure for what a plan cannot keep to. */
export function notPlanned(what: string, hint: string): RecPushError {
  return new RecPushError(
    "usage",
    "not-planned",
    `${what}: a plan cannot share it out; nothing was planned`,
    { hint },
  );
}

/** A plan would overtake runs that are still open: their values are older. */
export function refuseOpen({ openRuns, starts }: DecidedStarts): void {
  const [run] = [
    ...starts.flatMap((start) => (start.kind === "resume" ? start.stored.run : [])),
    ...openRuns,
  ];
  if (run === undefined) return;
  throw new RecPushError(
    "usage",
    "open-run",
    `the run ${run} on this table is still open; nothing was planned`,
    {
      hint: `finish it: rec-push resume ${run}\nor give it up: rec-push runs --abandon ${run}`,
    },
  );
}
