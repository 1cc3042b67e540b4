import type { RecPushError } from "../../model/failure.ts";
import type { RunRequest } from "../../run/run-inputs.ts";
import { acceptOptions } from "../accept-options.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";
import { surveyWithOptions, type Surveyed } from "../survey-with-options.ts";
import type { Asker } from "./asker.ts";
import { isForAPerson } from "./is-for-a-person.ts";
import { editColumns } from "./edit-columns.ts";
import { askToSend, describePlan } from "./show-plan.ts";

/** The user's decision: a command line that leaves nothing open, or to end, or that they broke off. */
export type Decision =
  | { readonly kind: "send"; readonly line: CommandLine }
  /** To end, because of what is left that no answer settles, or because the plan is not wanted. */
  | { readonly kind: "end"; readonly left?: Surveyed }
  | { readonly kind: "brokeOff" };

/**
 * Asks what only the user knows, then shows the plan and asks whether to send it like that. The options in the line
 * that it returns are those that the command prints elsewhere in its ready line, as if they had been pasted.
 */
export async function settleByAsking(
  typed: CommandLine,
  io: Io,
  asker: Asker,
  requestOf: (line: CommandLine) => Promise<RunRequest>,
): Promise<Decision> {
  let line = typed;
  for (;;) {
    const surveyed = await surveyWithOptions(line, io, requestOf);
    const { end, surveys, line: accepted } = surveyed;
    if (end.failure !== undefined) {
      const answers = await askChoices(end.failure, asker);
      if (answers === undefined) return { kind: "brokeOff" };
      if (answers.length === 0) return { kind: "end", left: surveyed };
      line = acceptOptions(accepted, answers, io);
      continue;
    }
    asker.tell(describePlan({ surveys }));
    const answer = await asker.key(askToSend(surveys), [
      { value: "y", label: "yes, send them" },
      { value: "n", label: "no, send nothing" },
      { value: "e", label: "edit it column by column" },
    ]);
    if (answer === undefined) return { kind: "brokeOff" };
    if (answer === "y") return { kind: "send", line: accepted };
    if (answer === "n") return { kind: "end" };
    const options = await editColumns(surveys[0]!, asker);
    if (options === undefined) return { kind: "brokeOff" };
    line = acceptOptions(withoutColumns(typed), options, io);
  }
}

/** Asks nothing if something is wrong that no answer settles: the push reports that. */
async function askChoices(failure: RecPushError, asker: Asker): Promise<readonly string[] | undefined> {
  if (!isForAPerson(failure)) return [];
  const answers: string[] = [];
  for (const { question, answers: options, effects } of failure.choices ?? []) {
    const answer = await asker.choose(
      question,
      options.map((option, at) => ({
        value: option,
        label: effects?.[at] === undefined ? option : `${effects[at]}   ${option}`,
      })),
    );
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers;
}

/** The line without the options that an answer for each column replaces. */
function withoutColumns({ options, ...line }: CommandLine): CommandLine {
  const { map: _, drop: __, keep: ___, otherColumns: ____, ...others } = options;
  return { ...line, options: others };
}
