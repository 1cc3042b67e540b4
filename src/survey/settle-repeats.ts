import { RecPushError } from "../model/failure.ts";
import { showCountIs } from "../model/quantities.ts";
import { quoteText } from "../model/visible-text.ts";
import { hasDistinctKeys } from "./distinct-keys.ts";
import type { RepeatedKeys } from "./repeated-keys.ts";
import type { SurveyedInput } from "./survey-input.ts";

/** What happens to rows with the same key: all are sent in order, only the last is sent, or they stop the run. */
export type OnRepeat = "all" | "last" | "stop";

/**
 * Applies `--on-repeat` to an input: throws an input error at the first repeated key, or leaves the earlier rows out.
 */
export async function settleRepeats(
  input: SurveyedInput,
  repeated: RepeatedKeys,
  onRepeat: OnRepeat | undefined,
): Promise<SurveyedInput> {
  const { report, source } = input;
  // The survey has compared all keys: reading them again would find nothing.
  if (hasDistinctKeys(report.counts)) return input;
  if (onRepeat === "stop") {
    const first = await repeated.findFirst();
    if (first === undefined) return input;
    throw new RecPushError(
      "input",
      "repeated-key",
      `${source.name}:${first.line}: the key ${quoteText(first.key)} is already in line ${first.firstLine}; nothing was sent`,
      {
        hint: "--on-repeat last sends only the last row of a key, --on-repeat all sends all in order",
        place: { file: source.name, line: first.line },
      },
    );
  }
  const superseded = await repeated.markEarlier();
  const { counts } = report;
  if (superseded === 0) return input;
  const notice = {
    text: `${showCountIs(superseded, "row")} left out: a later row has the same key (--on-repeat last)`,
  };
  return {
    ...input,
    repeated,
    report: {
      ...report,
      counts: { ...counts, updates: counts.updates - superseded, superseded },
      notices: [...report.notices, notice],
    },
  };
}
