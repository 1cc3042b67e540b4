import type { SurveyCounts, SurveyReport } from "../../model/counts.ts";
import type { ColumnFigures } from "../../model/marker-columns.ts";
import type { FieldPlan } from "../record/field-plan.ts";

/** Result of the survey of columns and values, with the plan for building the records. */
export interface FieldSettlement extends Omit<SurveyReport, "reading" | "counts"> {
  readonly counts: SurveyCounts;
  readonly plan: FieldPlan;
  readonly figures: readonly ColumnFigures[];
}

/** Called with every update in file order: its key, its line, and where its row begins. */
export type OnKey = (key: string, line: number, start: number) => void;
