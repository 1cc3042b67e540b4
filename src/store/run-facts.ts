import { typeOfField } from "../fields/columns/other-columns.ts";
import { USUAL_PIVOT } from "../fields/date/calendar.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import type { ComparedAs } from "../ledger/comparison-form.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { quoteText } from "../model/text.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** What identifies a run: content, target, and the user's own key. */
export interface RunIdentity {
  /** Hex SHA-256 of the decoded content. */
  readonly content: string;
  /** The address of the operation, with the table and without the query. */
  readonly url: string;
  readonly dbVersion: string | null;
  /** `--run-key`. */
  readonly runKey: string | null;
  /** Hash of the --query parameters, which may name a tenant; absent if there are none. */
  readonly queries?: string;
}

/** The unchanging facts of a run: the book holds them until it is closed. Holds no token and no value of -H or --query. */
export interface RunFacts {
  /** The version of rec-push. */
  readonly program: string;
  readonly run: string;
  /** The first run of the command that began it; the other files of that command have runs of their own. */
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /**
   * The runs that were open on the table when this one began, or whose rejects were not pushed yet: this orders runs,
   * whatever the clock says.
   */
  readonly olderRuns: readonly string[];
  readonly table: string;
  readonly identity: RunIdentity;
  /** As named on the command line; `-` is standard input, kept in the run directory. */
  readonly file: string;
  /** Absolute; `undefined` for standard input. */
  readonly path?: string;
  /** Where the user wants its files of rows: an `AskedPlace` of kept-place.ts. */
  readonly rejects?: object;
  /** The options that a resume needs to read and send as before, merged from configs and command line. */
  readonly options: OptionTexts;
  /** The declarations of fields in the config, by field name. */
  readonly declared: Readonly<Record<string, unknown>>;
  /** Names of the -H headers and --query parameters, whose values are not kept. */
  readonly headerNames: readonly string[];
  readonly queryNames: readonly string[];
  readonly plan: PlanTexts;
  /** How its creates are compared with those of other runs. */
  readonly compared: ComparedAs;
  /** True if it creates records although they were created before (`--again`). */
  readonly again?: true;
  /** The shard of a plan whose run it is: only a command on the plan continues it. */
  readonly shard?: {
    readonly plan: string;
    readonly directory: string;
    readonly shard: number;
    readonly of: number;
  };
  /** For a file of mended rejects: the runs that left its rows. Their own file may be pushed again in whole. */
  readonly rowsOf?: readonly string[] | undefined;
  /** Those of them of which it holds all rows that are still to be mended. */
  readonly takes?: readonly string[] | undefined;
  /** The fields that identify its creates, if the user named some. */
  readonly identifiedBy?: readonly string[] | undefined;
  /** An earlier run of this content, which created its creates or may have; this run sends the updates only. */
  readonly createdBy?: string | undefined;
  /** The counts of the survey. */
  readonly totals: RunTotals;
  /** The figures of its file, if it is compared with others; the close of the run keeps them. */
  readonly figures?: object | undefined;
}

/**
 * The rows of an input as the survey judged them; the other counts add up to `read`. Creates that are left out count
 * as skipped.
 */
interface RunTotals {
  readonly read: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly updates: number;
  readonly creates: number;
}

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
    "--set and default": [...plan.constants]
      .map(([field, value]) => `${field}=${quoteText(value)}`)
      .join(", "),
  };
  // Absent if it changes nothing.
  const { pivotYear = USUAL_PIVOT } = plan.parts.options.pins;
  if (pivotYear !== USUAL_PIVOT) texts["--pivot-year"] = String(pivotYear);
  if (dialect !== undefined) {
    const { delimiter, quote, escape, comment, headerLine, dataLine } = dialect;
    texts["--delimiter"] = quoteText(delimiter);
    texts["--quote and escape"] = `${quote} ${escape}`;
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
    const pivot = type.kind === "date" && type.pivotYear !== undefined ? `:${type.pivotYear}` : "";
    texts[`column ${index + 1}`] = `${quoteText(header)} as ${field}, ${type.kind}${pivot}`;
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
  return spec.timeZone ?? (spec.format.startsWith("epoch") ? "UTC" : undefined);
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
