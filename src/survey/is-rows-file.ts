import type { SurveyReport } from "../model/event.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";

/** True for a file that rec-push wrote: its rows, mended or not, are rows of another file too. */
export function isRowsFile({ columns }: Pick<SurveyReport, "columns">): boolean {
  return columns.some(({ header }) => isMarkerColumn(header));
}
