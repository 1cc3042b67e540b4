import type { Rejection } from "../finish/rejection.ts";
import type { Verdict } from "../finish/verdict-log.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { createsOf } from "./print-creates.ts";

/** The creates of an input that the user is to see, for a file of rows, each with field and reason. */
export async function* createsToShow(
  input: SurveyedInput,
  read: ReadOptions,
  isWanted: (ordinal: number) => boolean,
  { field, reason }: Omit<Rejection, "line">,
): AsyncGenerator<readonly Verdict[]> {
  for await (const creates of createsOf(input, read)) {
    yield creates
      .filter(({ ordinal }) => isWanted(ordinal))
      .map(({ line, rowStart: start, rowEnd: end }) => ({
        field,
        reason,
        line,
        start,
        end,
        later: undefined,
      }));
  }
}
