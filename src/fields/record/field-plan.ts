import { createContext, Script } from "node:vm";
import { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/text.ts";
import type { ColumnsPlace, PlannedColumn } from "../columns/column-faults.ts";
import { KEY_FIELD, typeOfField } from "../columns/other-columns.ts";
import { scanDate, ScannedDate } from "../date/date.ts";
import type { DeclaredField, FieldOptions } from "../field-options.ts";
import type { Suspects } from "../odd/suspects.ts";
import { type FormatSpec, readerOf } from "../survey/column-format.ts";
import type { FieldType, Unreadable } from "../type-text.ts";
import { type ExaminedField, NullWords, type RowRules } from "./examine-row.ts";

/** How the rows of one input become records; every format is settled. */
export interface FieldPlan {
  readonly parts: PlanParts;
  readonly fields: readonly ExaminedField[];
  readonly rules: RowRules;
  /** The rows that are unlike all others and are not sent. */
  readonly suspects?: Suspects | undefined;
  /** Wire values that every record gets, in order, after its own. */
  readonly constants: ReadonlyMap<string, string>;
}

/** Puts together what is needed to examine a used column. Throws a usage error for checks that are not possible. */
export function examinedField(
  { index, header, field }: PlannedColumn,
  options: FieldOptions,
  { defaults }: ConstantValues,
  take: ExaminedField["take"],
): ExaminedField {
  const name = field!;
  const type = typeOfField(name, options);
  const declared = options.fields?.get(name);
  const check = fieldCheck(name, type, declared);
  const literals = new Set(name === KEY_FIELD ? options.pins.keyLiterals : []);
  return {
    index,
    header,
    field: name,
    kind: name === KEY_FIELD ? "key" : type.kind === "text" ? "text" : "typed",
    nulls: new NullWords(options.nulls.filter((text) => !literals.has(text))),
    isRequired: declared?.required === true,
    isChecked: check !== undefined,
    fallback: defaults.get(name),
    take:
      check === undefined
        ? take
        : (cell, line) => {
            const taken = take(cell, line);
            return typeof taken === "string" ? (check(taken) ?? taken) : taken;
          },
  };
}

/** The rules for whole rows, from the options and the columns planned. */
export function rowRules(
  columns: readonly PlannedColumn[],
  options: FieldOptions,
  { set, defaults }: ConstantValues,
  noun: ColumnsPlace["noun"],
): RowRules {
  return {
    sendsEmpty: options.empty === "send",
    only: options.only,
    hasExtras: set.size + defaults.size > 0,
    nameless: columns.flatMap(({ use, index }) => (use === "nameless" ? index : [])),
    noun,
  };
}

/** The parts of a plan, as plain data: {@link buildPlan} makes the plan from them, in any thread. */
export interface PlanParts {
  readonly file: string;
  readonly noun: ColumnsPlace["noun"];
  readonly columns: readonly PlannedColumn[];
  /** Of the columns in use, in column order. */
  readonly specs: readonly FormatSpec[];
  readonly options: FieldOptions;
}

/** The plan of the columns in use. */
export function buildPlan(parts: PlanParts): FieldPlan {
  const { noun, columns, specs, options } = parts;
  const constants = readConstants(options);
  const used = columns.filter(({ use }) => use === "field");
  const fields = used.map((column, at) => examinedField(column, options, constants, readerOf(specs[at]!)));
  const names = new Set(fields.map(({ field }) => field));
  const absent = [...constants.defaults].filter(([field]) => !names.has(field));
  return {
    parts,
    fields,
    rules: rowRules(columns, options, constants, noun),
    constants: new Map([...constants.set, ...absent]),
  };
}

/** Returns what is wrong with a wire value; `undefined` if nothing is. */
type CheckValue = (value: string) => Unreadable | undefined;

const MOST_VALUES_SHOWN = 10;

/**
 * The checks that a field declares, as one function; `undefined` if it declares none. Throws a usage error for checks of
 * dates and amounts, because their wire values are only known once the whole column is.
 */
function fieldCheck(
  field: string,
  type: FieldType,
  declared: DeclaredField | undefined,
): CheckValue | undefined {
  const { pattern, oneOf } = declared ?? {};
  if (pattern === undefined && oneOf === undefined) return undefined;
  if (type.kind === "date" || type.kind === "amount") {
    throw new RecPushError("check-of-type", `field ${field}: pattern and oneOf are for text and digits`, {
      hint: `${field} is ${type.kind}: its type is the check`,
    });
  }
  const form = pattern === undefined ? undefined : wholePattern(pattern);
  const possible = oneOf === undefined ? undefined : new Set(oneOf);
  return (value) => {
    if (form !== undefined && !matches({ field, form, pattern: pattern!, value }))
      return { reason: `it does not match the pattern ${pattern}` };
    if (possible !== undefined && !possible.has(value))
      return { reason: `it is not one of ${listValues(possible)}` };
    return undefined;
  };
}

/** The regular expression for whole values. Throws what RegExp throws. */
export function wholePattern(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, "u");
}

function listValues(values: ReadonlySet<string>): string {
  const shown = [...values]
    .slice(0, MOST_VALUES_SHOWN)
    .map((value) => quoteText(value))
    .join(", ");
  return values.size > MOST_VALUES_SHOWN ? `${shown} ...` : shown;
}

/** The wire values that do not come from a cell, by field. */
export interface ConstantValues {
  /** From `--set`: in every record. */
  readonly set: ReadonlyMap<string, string>;
  /** From declared defaults: used if the cell gives no value. */
  readonly defaults: ReadonlyMap<string, string>;
}

/** The formats of values for the service, and the advice for people. */
const WIRE_FORMS = {
  date: [/^\d{4}-\d\d-\d\d$/, "write it as YYYY-MM-DD"],
  amount: [/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/, "write it with a point and no grouping"],
  digits: [/^\d+$/, "write digits only"],
} as const;

/** Checks that constants and defaults are written as the service wants the values of their field. Throws a usage error. */
export function readConstants(options: FieldOptions): ConstantValues {
  const set = new Map<string, string>();
  for (const [field, text] of options.set)
    set.set(field, readConstant(`--set ${field}`, field, text, options));
  const defaults = new Map<string, string>();
  for (const [field, { default: text }] of options.fields ?? []) {
    if (text === undefined || set.has(field)) continue;
    if (field === KEY_FIELD) {
      throw new RecPushError("constant-key", `a default for ${KEY_FIELD} would make many rows one record`);
    }
    defaults.set(field, readConstant(`the default of ${field}`, field, text, options));
  }
  return { set, defaults };
}

function readConstant(source: string, field: string, text: string, options: FieldOptions): string {
  const type = typeOfField(field, options);
  // An empty constant is meant to blank the field.
  if (type.kind === "text" || text === "") return text;
  const [form, hint] = WIRE_FORMS[type.kind];
  const isDay = type.kind !== "date" || scanDate(text) instanceof ScannedDate;
  if (form.test(text) && isDay) return text;
  const message = `${source}: ${quoteText(text)} is not how the service takes ${type.kind}`;
  throw new RecPushError("constant-unreadable", message, { hint });
}

/** A pattern that is being matched, for the error message. */
interface Match {
  readonly field: string;
  readonly form: RegExp;
  readonly pattern: string;
  readonly value: string;
}

/** The limit on matching the values of one chunk, which normally takes milliseconds. */
const MAX_CHUNK_MS = 5000;

let last: Match | undefined;
/** Made when first needed: Node's way to stop a regular expression that does not end. */
let box: { readonly context: { work: () => unknown }; readonly script: Script } | undefined;

/** Tests a value within {@link boundMatching}. */
export function matches(match: Match): boolean {
  last = match;
  return match.form.test(match.value);
}

/**
 * Runs work that matches values with the user's patterns, some of which may take exponential time. Throws a usage error
 * if that does not end in time.
 */
export function boundMatching<T>(work: () => T, maxMs = MAX_CHUNK_MS): T {
  const context = { work };
  box ??= { context: createContext(context) as typeof context, script: new Script("work()") };
  box.context.work = work;
  last = undefined;
  try {
    return box.script.runInContext(box.context, { timeout: maxMs }) as T;
  } catch (error) {
    const isLate = (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    throw isLate && last !== undefined ? endless(last, maxMs) : error;
  } finally {
    box.context.work = () => undefined;
  }
}

function endless({ field, pattern, value }: Match, maxMs: number): RecPushError {
  const message = `field ${field}: matching ${quoteText(value)} with the pattern ${quoteText(pattern)} does not end within ${maxMs / 1000} s`;
  return new RecPushError("endless-pattern", message, {
    hint: "write the pattern without a repeat inside a repeat, such as (a+)+, and without two repeats of the same characters in a row; if this machine was held up, run the same command again",
  });
}
