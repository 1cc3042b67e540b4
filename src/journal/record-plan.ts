import { typeOfField } from "../fields/columns/known-fields.ts";
import { USUAL_PIVOT } from "../fields/date/two-digit-year.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { quoteText } from "../model/visible-text.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Everything that decides which records an input becomes, as texts by name. */
export type PlanTexts = Readonly<Record<string, string>>;

const FORMAT = "format of ";
const ZONE = "time zone of ";

/**
 * The plan of an input: everything that was settled, however it was given, and the options whose values are compared.
 */
export function describeRecordPlan({ report, plan }: SurveyedInput, options: PlanTexts): PlanTexts {
  const { format, encoding, dialect } = report.reading;
  const texts: Record<string, string> = {
    "--format": format,
    "--encoding": encoding,
    ...options,
    "--set and --default": [...plan.constants]
      .map(([field, value]) => `${field}=${quoteText(value)}`)
      .join(", "),
  };
  // Absent if it changes nothing.
  const { pivotYear = USUAL_PIVOT } = plan.parts.options.pins;
  if (pivotYear !== USUAL_PIVOT) texts["--pivot-year"] = String(pivotYear);
  if (dialect !== undefined) {
    const { delimiter, quote, escape, comment, headerLine, dataLine } = dialect;
    texts["--delimiter"] = quoteText(delimiter);
    texts["--quote and --escape"] = `${quote} ${escape}`;
    texts["--comment"] = comment;
    texts["the first line of the data"] = `${dataLine}, header ${headerLine ?? "none"}`;
  }
  Object.assign(texts, describeFields(plan, report));
  const { updates, creates, skipped, invalid, superseded } = report.counts;
  texts["the rows"] =
    `${updates} updates, ${creates} creates, ${invalid} invalid, ${skipped + superseded} skipped`;
  return texts;
}

function describeFields({ fields, parts }: FieldPlan, report: SurveyedInput["report"]): PlanTexts {
  const { options, specs } = parts;
  const texts: Record<string, string> = {};
  for (const [at, { index, header, field }] of fields.entries()) {
    const type = typeOfField(field, options);
    const scale = type.kind === "amount" && type.scale !== undefined ? `:${type.scale}` : "";
    const pivot = type.kind === "date" && type.pivotYear !== undefined ? `:${type.pivotYear}` : "";
    texts[`column ${index + 1}`] = `${quoteText(header)} as ${field}, ${type.kind}${scale}${pivot}`;
    const settled = report.columns.find(({ column }) => column === index + 1)?.format;
    if (settled !== undefined) texts[`${FORMAT}${field}`] = settled;
    const zone = zoneOf(specs[at]!);
    if (zone !== undefined) texts[`${ZONE}${field}`] = zone;
  }
  for (const [field, { type: _, ...rules }] of options.fields ?? []) {
    if (Object.keys(rules).length > 0)
      texts[`rules of ${field}`] = JSON.stringify(rules, Object.keys(rules).sort());
  }
  return texts;
}

/** The time zone that decides the day in a column; `undefined` if none does. */
function zoneOf(spec: FieldPlan["parts"]["specs"][number]): string | undefined {
  if (spec.kind !== "date") return undefined;
  if (spec.zone.kind === "convert") return spec.timeZone;
  return spec.format === "epoch" || spec.format === "epoch-ms" ? (spec.timeZone ?? "UTC") : undefined;
}

/** The differences between the plan of a run and the plan of a later command, one line each: `--empty: omit then, send now`. */
export function comparePlans(then: PlanTexts, now: PlanTexts): string[] {
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((name) => then[name] !== now[name])
    .filter((name) => !isFree(name) || (then[name] !== undefined && now[name] !== undefined))
    .map((name) => `${name}: ${show(then[name])} then, ${show(now[name])} now`);
}

// A pinned format changes nothing if nothing had to be settled.
function isFree(name: string): boolean {
  return name.startsWith(FORMAT) || name.startsWith(ZONE) || name === "the rows";
}

function show(text: string | undefined): string {
  return text === undefined || text === "" ? "nothing" : text;
}
