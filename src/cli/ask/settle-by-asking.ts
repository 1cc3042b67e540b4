import {
  dropOption,
  isIdentifier,
  makeIdentifier,
  mapOption,
  nameColumn,
  referToColumns,
} from "../../fields/columns/column-faults.ts";
import { BUILT_IN_FIELDS, undeclaredType } from "../../fields/columns/other-columns.ts";
import { type ColumnReport, showCount, type SurveyReport } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { isTabular } from "../../model/reading.ts";
import { quoteText } from "../../model/text.ts";
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

/** The plan of a push: header line, key, and for each column field, type and values. */
function describePlan({ surveys }: { readonly surveys: readonly SurveyReport[] }): string[] {
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
  return `Send ${parts.join(", ")} so? [y/n/e]`;
}

function describeKey({ columns }: SurveyReport): string {
  const key = columns.find(({ field }) => field === "cle");
  return key === undefined
    ? "key: none, every row creates a record"
    : `key: column ${key.column} "${key.header}"`;
}

const TYPES = ["text", "digits", "amount", "date"] as const;

/** Asks for each column where it goes; returns the options that say so, or `undefined` if the user broke off. */
async function editColumns(
  { columns, reading }: SurveyReport,
  asker: Asker,
): Promise<readonly string[] | undefined> {
  // By their names, since the answers are for all files of the command: another one may have another order.
  const names = columns.map(({ header, column }) => nameColumn(header, column - 1, column));
  const referTo = referToColumns(names, { noun: isTabular(reading.format) ? "column" : "member" });
  const own = columns.filter(
    ({ header, isUndeclared = false }) => !isMarkerColumn(header) && header.trim() !== "" && !isUndeclared,
  );
  const options: string[] = [];
  for (const column of own) {
    const reference = referTo(nameColumn(column.header, column.column - 1, column.column));
    const answer = await askField(column, asker);
    if (answer === undefined) return undefined;
    if (answer === "") {
      options.push(dropOption(reference));
      continue;
    }
    options.push(mapOption(reference, answer));
    if (BUILT_IN_FIELDS.has(answer)) continue;
    const type = await askType(column, answer, asker);
    if (type === undefined) return undefined;
    options.push(`--type ${answer}=${type}`);
  }
  return options;
}

/** Returns the field, `""` to leave the column out. */
async function askField({ header, field, samples }: ColumnReport, asker: Asker): Promise<string | undefined> {
  const values = samples.map(({ before }) => quoteText(before, 30)).join(", ");
  const ownName = makeIdentifier(header.trim());
  const fields = new Set([field, ownName, ...BUILT_IN_FIELDS.keys()].filter((name) => name !== undefined));
  const answer = await asker.choose(`${quoteText(header)}${values === "" ? "" : ` (${values})`}`, [
    ...[...fields].map((name) => ({ value: `=${name}`, label: name === field ? `${name}, as now` : name })),
    { value: "other", label: "another field" },
    { value: "", label: "leave it out" },
  ]);
  if (answer !== "other") return answer?.replace(/^=/, "");
  for (;;) {
    const name = await asker.write("Its field: letters, digits and _", ownName ?? "");
    if (name === undefined || isIdentifier(name)) return name;
  }
}

/** Proposes first the type that its values have: under another name a date is still no text. */
function askType({ type = "text" }: ColumnReport, answer: string, asker: Asker): Promise<string | undefined> {
  const usual = type === "text" ? undeclaredType(answer).kind : type;
  const inOrder = [usual, ...TYPES.filter((kind) => kind !== usual)];
  return asker.choose(
    `${answer}: its type`,
    inOrder.map((kind) => ({ value: kind, label: kind })),
  );
}
