import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { readConstants } from "../fields/record/constant-values.ts";
import { buildPlan, type PlanParts } from "../fields/record/field-plan.ts";
import { SuspectList, type SuspectRow } from "../fields/totals/suspect-list.ts";
import type { SurveyReport } from "../model/event.ts";
import type { Inspection } from "../read/inspect-source.ts";
import type { Source } from "../read/source/source.ts";
import { replaceFile } from "../state/atomic-file.ts";
import type { InputPart } from "../survey/input-part.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type PartCounts, readPart, sumOf } from "./shard-plan.ts";

/** The findings of a survey as plain data. */
interface Settled {
  readonly inspection: Inspection;
  readonly parts: PlanParts;
  readonly report: SurveyReport;
  readonly suspects: { readonly hint: string; readonly rows: readonly SuspectRow[] } | undefined;
}

/** Writes what the survey of an input settled; returns the checksum. Node keeps the form readable for later versions. */
export async function writeSettled(
  path: string,
  { inspection, plan, report }: SurveyedInput,
): Promise<string> {
  const { suspects } = plan;
  const settled: Settled = {
    inspection,
    parts: plan.parts,
    // The plan has reported all of these.
    report: { ...report, problems: [], groups: [], notices: [], pins: [] },
    suspects: suspects && { hint: suspects.hint, rows: [...suspects.rows()] },
  };
  const bytes = serialize(settled);
  await replaceFile(path, (file) => file.write(bytes));
  return sumOf(bytes);
}

/** Restores the input as it was surveyed, as far as one shard sends it. */
export async function readSettled(
  path: string,
  sum: string,
  source: Source,
  planned: PartCounts,
  part: InputPart,
): Promise<SurveyedInput> {
  const bytes = await readPart(path, sum, readFile);
  const { inspection, parts, report, suspects: found } = deserialize(bytes) as Settled;
  const suspects = found && new SuspectList();
  if (suspects !== undefined && found !== undefined) {
    suspects.hint = found.hint;
    for (const row of found.rows) suspects.add(row);
  }
  const { rows, updates, creates, invalid, invalidBytes, skipped } = planned;
  const counts = report.counts && {
    ...report.counts,
    rows,
    updates,
    creates,
    invalid,
    invalidBytes,
    skipped,
    superseded: 0,
  };
  return {
    source,
    inspection,
    plan: { ...buildPlan(parts, readConstants(parts.options)), ...(suspects && { suspects }) },
    report: { ...report, counts },
    part,
  };
}
