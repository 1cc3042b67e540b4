import { typeOfField } from "../fields/columns/column-plan.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import { quoteText } from "../model/visible-text.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/**
 * Everything that decides which records an input becomes, as texts by name, so that two commands can be compared and a
 * difference be told. Settled formats stand in it, not how they were given.
 */
export type RecordPlan = Readonly<Record<string, string>>;

const FORMAT = "format of ";
const ON_INVALID = "--on-invalid";

/** How the rows of an input are judged, beside its fields. */
export interface RowHandling {
  readonly read: ReadOptions;
  readonly fields: FieldOptions;
  readonly onInvalid: string;
  readonly onRepeat?: string;
}

export function describeRecordPlan(input: SurveyedInput, handling: RowHandling): RecordPlan {
  const { read, fields, onInvalid, onRepeat = "all" } = handling;
  const { report, plan } = input;
  const { format, encoding, dialect } = report.reading;
  const texts: Record<string, string> = {
    "--format": format,
    "--encoding": encoding,
    [ON_INVALID]: onInvalid,
    "--on-repeat": onRepeat,
    "--skip-footer": String(read.skipFooter ?? 0),
    "--keep-footer": fields.keepsFooter === true ? "yes" : "no",
    "--empty": fields.empty,
    "--only": fields.only ?? "both kinds",
    "--null": [...fields.nulls].sort().map(quoteText).join(", "),
    "--set and --default": [...plan.constants]
      .map(([field, value]) => `${field}=${quoteText(value)}`)
      .join(", "),
    "--max-row-bytes": String(read.maxRowBytes ?? ""),
  };
  if (read.jsonPath !== undefined) texts["--json-path"] = read.jsonPath;
  if (dialect !== undefined) {
    const { delimiter, quote, escape, comment, headerLine, dataLine } = dialect;
    texts["--delimiter"] = quoteText(delimiter);
    texts["--quote and --escape"] = `${quote} ${escape}`;
    texts["--comment"] = comment;
    texts["the first line of the data"] = `${dataLine}, header ${headerLine ?? "none"}`;
  }
  for (const { index, header, field } of plan.fields) {
    const { kind, ...more } = typeOfField(field, fields);
    const scale = "scale" in more ? `:${more.scale}` : "";
    texts[`column ${index + 1}`] = `${quoteText(header)} as ${field}, ${kind}${scale}`;
    const settled = report.columns.find(({ column }) => column === index + 1)?.format;
    if (settled !== undefined) texts[`${FORMAT}${field}`] = settled;
  }
  for (const [field, { type: _, ...rules }] of fields.fields ?? []) {
    if (Object.keys(rules).length > 0)
      texts[`rules of ${field}`] = JSON.stringify(rules, Object.keys(rules).sort());
  }
  if (report.isStreamed !== true) {
    const { updates, creates, skipped, invalid, superseded = 0 } = report;
    texts["the rows"] =
      `${updates} updates, ${creates} creates, ${invalid} invalid, ${skipped + superseded} skipped`;
  }
  return texts;
}

/** What differs between two plans, one line each: `--empty: omit then, send now`. */
export function comparePlans(then: RecordPlan, now: RecordPlan): string[] {
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((name) => then[name] !== now[name] && !isContinued(name, then, now))
    .filter((name) => !isFree(name) || (then[name] !== undefined && now[name] !== undefined))
    .map((name) => `${name}: ${show(then[name])} then, ${show(now[name])} now`);
}

// Where nothing had to be settled, a format that was pinned all the same changes nothing, and without a survey nothing is counted.
function isFree(name: string): boolean {
  return name.startsWith(FORMAT) || name === "the rows";
}

/** Up to the first invalid row, where a run without survey stops, both make the same records. */
function isContinued(name: string, then: RecordPlan, now: RecordPlan): boolean {
  return name === ON_INVALID && !("the rows" in then) && then[name] === "stop" && now[name] === "skip";
}

function show(text: string | undefined): string {
  return text === undefined || text === "" ? "nothing" : text;
}
