import type { SurveyReport } from "../../model/event.ts";
import { showCount } from "../../model/quantities.ts";
import { describeColumn, describeSurvey } from "../../report/survey-lines.ts";

/** The plan of a push: header line, key, and for each column field, type and values. */
export function describePlan({ surveys }: { readonly surveys: readonly SurveyReport[] }): string[] {
  return surveys.flatMap((survey) => [
    describeSurvey(survey),
    `  ${describeKey(survey)}`,
    ...survey.columns.flatMap(describeColumn).map((line) => `  ${line}`),
  ]);
}

/** `Send 1,200 updates, 3 creates so?` */
export function askToSend(surveys: readonly SurveyReport[]): string {
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
