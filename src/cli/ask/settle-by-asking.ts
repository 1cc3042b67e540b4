import { showCount, type SurveyReport } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { RunRequest } from "../../push/check.ts";
import { describeColumn, describeSurvey } from "../../report/summary-lines.ts";
import type { CommandLine } from "../program.ts";
import type { Io } from "../run-settings.ts";
import { acceptOptions, type Surveyed, surveyWithOptions } from "../survey-with-options.ts";
import type { Asker } from "./asker.ts";
import { isForAPerson } from "./is-for-a-person.ts";

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
    asker.tell(describePlan(surveys));
    const answer = await asker.key(askToSend(surveys), [
      { value: "y", label: "yes, send them" },
      { value: "n", label: "no, send nothing" },
    ]);
    if (answer === undefined) return { kind: "brokeOff" };
    if (answer === "y") return { kind: "send", line: accepted };
    return { kind: "end" };
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

/** The plan of a push: header line, key, and for each column field, type and values. */
function describePlan(surveys: readonly SurveyReport[]): string[] {
  return surveys.flatMap((survey) => [
    describeSurvey(survey),
    `  ${describeKey(survey)}`,
    ...survey.columns.flatMap(describeColumn).map((line) => `  ${line}`),
  ]);
}

/** `Send 1,200 updates, 3 creates so?` */
function askToSend(surveys: readonly SurveyReport[]): string {
  const sum = (kind: "updates" | "creates"): number =>
    surveys.reduce((total, { counts }) => total + counts[kind], 0);
  const [updates, creates] = [sum("updates"), sum("creates")];
  const parts = [
    ...(updates > 0 || creates === 0 ? [showCount(updates, "update")] : []),
    ...(creates > 0 ? [showCount(creates, "create")] : []),
  ];
  return `Send ${parts.join(", ")} so? [y/n]`;
}

function describeKey({ columns }: SurveyReport): string {
  const key = columns.find(({ field }) => field === "cle");
  return key === undefined
    ? "key: none, every row creates a record"
    : `key: column ${key.column} "${key.header}"`;
}
