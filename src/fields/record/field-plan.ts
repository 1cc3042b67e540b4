import type { ConstantValues } from "./constant-values.ts";
import type { RowRules } from "./examine-row.ts";
import type { ExaminedField, TakeBytes } from "./examined-field.ts";
import { fieldCheck } from "./field-checks.ts";
import type { FieldOptions } from "../field-options.ts";
import { readerOf, type FormatSpec } from "./format-spec.ts";
import type { SuspectList } from "../totals/suspect-list.ts";
import { keyReader } from "../key.ts";
import { NullWords } from "../null-words.ts";
import type { ColumnsPlace } from "../columns/column-faults.ts";
import { KEY_FIELD, typeOfField } from "../columns/known-fields.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import type { FormatPins } from "../value.ts";

/** How the rows of one input become records; every format is settled. */
export interface FieldPlan {
  readonly parts: PlanParts;
  readonly file: string;
  /** The columns that were planned, for proving that a second pass reads the same input. */
  readonly headers: readonly string[];
  readonly fields: readonly ExaminedField[];
  readonly rules: RowRules;
  /** The rows that look like totals and are not sent. */
  readonly suspects?: SuspectList;
  /** Wire values that every record gets, in order, after its own. */
  readonly constants: ReadonlyMap<string, string>;
}

/** Takes the cell of a used column: {@link ExaminedField.take} without the field's own checks. */
export type TakeCell = ExaminedField["take"];

/** Puts together what is needed to examine a used column. Throws a usage error for checks that are not possible. */
export function examinedField(
  { index, header, field }: PlannedColumn,
  options: FieldOptions,
  { defaults }: ConstantValues,
  take: TakeCell,
  takeBytes?: TakeBytes,
): ExaminedField {
  const name = field!;
  const type = typeOfField(name, options);
  const declared = options.fields?.get(name);
  const check = fieldCheck(name, type, declared);
  const literals = name === KEY_FIELD ? options.pins.keyLiterals : undefined;
  const nulls = nullWords(options.nulls, declared?.nulls, literals);
  return {
    index,
    header,
    field: name,
    kind: name === KEY_FIELD ? "key" : type.kind === "text" ? "text" : "typed",
    nulls,
    isRequired: declared?.required === true,
    isChecked: check !== undefined,
    fallback: defaults.get(name),
    takeBytes: takeBytes && check === undefined ? unlessNull(takeBytes, nulls) : undefined,
    take:
      check === undefined
        ? take
        : (cell, line) => {
            const taken = take(cell, line);
            return typeof taken === "string" ? (check(taken) ?? taken) : taken;
          },
  };
}

/** Leaves cells that may be words for "no value" to a closer look. */
function unlessNull(take: TakeBytes, { isEmpty, firstBytes }: NullWords): TakeBytes {
  if (isEmpty) return take;
  return (bytes, start, end, line) => firstBytes[bytes[start]!] === 0 && take(bytes, start, end, line);
}

const commonWords = new WeakMap<readonly string[], NullWords>();

/** The columns share the words of the whole file, so that many columns and many words take little memory. */
function nullWords(
  common: readonly string[],
  own: readonly string[] = [],
  literals: readonly string[] = [],
): NullWords {
  if (literals.length > 0) {
    const isKept = new Set(literals);
    return new NullWords([...common, ...own].filter((text) => !isKept.has(text)));
  }
  const shared = commonWords.get(common) ?? new NullWords(common);
  commonWords.set(common, shared);
  return own.length === 0 ? shared : new NullWords(own, shared);
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
    nameless: columns.filter(({ use }) => use === "nameless"),
    noun,
  };
}

/** How the cells of a used column are taken, as plain data. */
export type FieldSpec = FormatSpec | KeySpec;

/** How keys are taken, as plain data. */
interface KeySpec {
  readonly kind: "key";
  /** Words that are keys although they do not look like one. */
  readonly literals?: readonly string[];
}

/** How keys are taken, given what options fix. */
export function keySpec({ keyLiterals }: FormatPins): KeySpec {
  return keyLiterals === undefined ? { kind: "key" } : { kind: "key", literals: keyLiterals };
}

/** The parts of a plan, as plain data: {@link buildPlan} makes the plan from them, in any thread. */
export interface PlanParts {
  readonly file: string;
  readonly noun: ColumnsPlace["noun"];
  readonly columns: readonly PlannedColumn[];
  /** Of the columns in use, in column order. */
  readonly specs: readonly FieldSpec[];
  readonly options: FieldOptions;
}

/** The plan of the columns in use. */
export function buildPlan(parts: PlanParts, constants: ConstantValues): FieldPlan {
  const { file, noun, columns, specs, options } = parts;
  const used = columns.filter(({ use }) => use === "field");
  const fields = used.map((column, at) => examinedField(column, options, constants, takeBy(specs[at]!)));
  const names = new Set(fields.map(({ field }) => field));
  const absent = [...constants.defaults].filter(([field]) => !names.has(field));
  return {
    parts,
    file,
    headers: columns.map(({ header }) => header),
    fields,
    rules: rowRules(columns, options, constants, noun),
    constants: new Map([...constants.set, ...absent]),
  };
}

/** Makes the function that takes a column's cells as its settled format says. */
export function takeBy(spec: FieldSpec): TakeCell {
  return spec.kind === "key" ? keyReader(spec.literals) : readerOf(spec);
}
