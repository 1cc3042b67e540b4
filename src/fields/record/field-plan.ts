import { createContext, Script } from "node:vm";
import type { PlainColumn, PlainRules } from "../../kernel/plain-rows.ts";
import { RecPushError } from "../../model/failure.ts";
import { type Cell, cellOf, NestedValue, type Row, type RowProblem } from "../../model/rows.ts";
import { cellName, quoteText, quoteWord } from "../../model/text.ts";
import { type ColumnsPlace, listSome, type PlannedColumn } from "../columns/column-faults.ts";
import { KEY_FIELD, typeOfField } from "../columns/other-columns.ts";
import { scanDate, ScannedDate } from "../date/date.ts";
import type { DeclaredField, FieldOptions } from "../field-options.ts";
import type { Suspects } from "../odd/suspects.ts";
import { cellText, isBlank, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { type FormatSpec, readerOf } from "../survey/column-format.ts";
import { type FieldType, NullWords, type Unreadable } from "../type-text.ts";

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
    throw new RecPushError("bad-option-value", `field ${field}: pattern and oneOf are for text and digits`, {
      hint: `${field} is ${type.kind}: its type is the check`,
    });
  }
  const form = pattern === undefined ? undefined : wholePattern(pattern);
  const possible = oneOf === undefined ? undefined : new Set(oneOf);
  return (value) => {
    if (form !== undefined && !matches(field, form, value))
      return { reason: `it does not match the pattern ${pattern}` };
    if (possible !== undefined && !possible.has(value))
      return { reason: `it is not one of ${listSome([...possible].map((one) => quoteText(one)))}` };
    return undefined;
  };
}

/** The regular expression for whole values. Throws what RegExp throws. */
export function wholePattern(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, "u");
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
      throw new RecPushError(
        "contradicting-options",
        `a default for ${KEY_FIELD} would make many rows one record`,
      );
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
  throw new RecPushError("bad-option-value", message, { hint });
}

/** A shorter value is matched in no time even by a pattern whose time doubles with each character. */
const SHORT_VALUE = 20;
const MAX_MATCH_MS = 2000;
/** Made when first needed: Node's way to stop a regular expression that does not end. */
let box: { readonly context: Record<string, unknown>; readonly script: Script } | undefined;

/** Tests a value with a pattern of the user. Throws a usage error if that does not end in time. */
function matches(field: string, form: RegExp, value: string): boolean {
  if (value.length < SHORT_VALUE) return form.test(value);
  box ??= { context: createContext({}), script: new Script("form.test(value)") };
  Object.assign(box.context, { form, value });
  try {
    return box.script.runInContext(box.context, { timeout: MAX_MATCH_MS }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    const message = `field ${field}: matching ${quoteText(value)} with the pattern ${quoteText(form.source.slice(4, -2))} does not end within ${MAX_MATCH_MS / 1000} s`;
    throw new RecPushError("bad-option-value", message, {
      hint: "write the pattern without a repeat inside a repeat, such as (a+)+, and without two repeats of the same characters in a row; if this machine was held up, run the same command again",
    });
  }
}

/** A used column, and the reader of its cells. */
export interface ExaminedField {
  /** 0-based position of the column. */
  readonly index: number;
  readonly header: string;
  readonly field: string;
  readonly kind: "key" | "text" | "typed";
  readonly nulls: NullWords;
  readonly isRequired: boolean;
  /** True if the config restricts its values. */
  readonly isChecked: boolean;
  /** The wire value if the cell has none. */
  readonly fallback: string | undefined;
  /** The wire value of a cell that is not empty, or why it has none; `undefined` for a key cell that is blank after all. */
  readonly take: (cell: Cell, line: number) => string | undefined | Unreadable;
}

/** True for a cell without a value. */
function isEmpty(cell: Cell, { kind, nulls }: ExaminedField): boolean {
  if (cell === "" || cell === undefined || cell === null) return true;
  if (kind !== "text" && typeof cell === "string" && isBlank(cell)) return true;
  if (nulls.isEmpty) return false;
  const text = cellText(cell);
  return text !== undefined && nulls.has(kind === "text" ? text : trimSpaces(text));
}

/** Rules for a row as a whole. */
export interface RowRules {
  /** Empty cells are sent as `""`, except the key. */
  readonly sendsEmpty: boolean;
  readonly only: "updates" | "creates" | undefined;
  /** True if every record gets constants or defaults, so that a row with only a key is a record. */
  readonly hasExtras: boolean;
  /** Positions of columns without a name, which must be empty. */
  readonly nameless: readonly number[];
  /** Members of JSON have names and no positions. */
  readonly noun: "column" | "member";
}

/** The values of a row that are sent, in the order of their fields. */
export interface GivenValues {
  /** Rising: indexes of the fields examined. */
  readonly slots: number[];
  /** The wire value for each. */
  readonly values: string[];
}

/** Result for a row: a record to send, nothing to send, or its problems (at least one). */
type RowVerdict = "record" | "skipped" | readonly RowProblem[];

/**
 * Judges rows. Both the survey and the building of records use it, so that what passed the survey is what is sent.
 * {@link RowExaminer.given} and {@link RowExaminer.key} describe the last row until the next is examined.
 */
export class RowExaminer {
  readonly given: GivenValues = { slots: [], values: [] };
  key: string | undefined;
  readonly #fields: readonly ExaminedField[];
  readonly #rules: RowRules;
  /** The slots of fields that every record has to have. */
  readonly #required: readonly number[];
  #problems: RowProblem[] = [];
  /** Whether the key of the current row could be read. */
  #isKeyRead = true;
  #givesValue = false;
  #hasContent = false;

  constructor(fields: readonly ExaminedField[], rules: RowRules) {
    this.#fields = fields;
    this.#rules = rules;
    this.#required = fields.flatMap(({ isRequired, fallback }, slot) =>
      isRequired && fallback === undefined ? [slot] : [],
    );
  }

  examine(row: Row): RowVerdict {
    this.given.slots.length = 0;
    this.given.values.length = 0;
    this.key = undefined;
    if (this.#problems.length > 0) this.#problems = [];
    this.#isKeyRead = true;
    this.#givesValue = false;
    this.#hasContent = false;
    for (let slot = 0; slot < this.#fields.length; slot++)
      this.#take(cellOf(row, this.#fields[slot]!.index), slot, row.line);
    if (this.#problems.length === 0) {
      const isGiving = this.key === undefined ? this.#hasContent : this.#givesValue || this.#rules.hasExtras;
      if (!isGiving) return "skipped";
    }
    if (this.#required.length > 0) this.#judgeRequired(row);
    if (this.#isKeyRead && this.#rules.only !== undefined) this.#judgeKind(row.line, this.#rules.only);
    if (this.#problems.length === 0) return "record";
    if (row.spans.isSheet === true) return this.#problems.map(nameCell);
    return this.#rules.noun === "member" ? ofRecord(this.#problems, row.record) : this.#problems;
  }

  /** The fields that the last row fills, without the key; `undefined` for a row without a key. */
  get filledFields(): readonly string[] | undefined {
    if (this.key === undefined) return undefined;
    const given = this.given.slots.map((slot) => this.#fields[slot]!.field);
    const faulty = this.#problems.flatMap(({ field, value }) => (value === "" ? [] : (field ?? [])));
    return [...given, ...faulty].filter((field) => field !== KEY_FIELD);
  }

  #take(cell: Cell, slot: number, line: number): void {
    const field = this.#fields[slot]!;
    if (isEmpty(cell, field)) {
      const isSent = this.#rules.sendsEmpty && cell !== undefined;
      if (!isSent || field.kind === "key" || field.fallback !== undefined) return;
      this.#give(slot, "");
      this.#givesValue = true;
      return;
    }
    const taken = cell instanceof NestedValue ? nestedProblem(cell, field) : field.take(cell, line);
    if (typeof taken === "string") {
      this.#give(slot, taken);
      if (field.kind === "key") {
        this.key = taken;
        return;
      }
      this.#givesValue = true;
      this.#hasContent ||= field.kind === "typed" || typeof cell !== "string" || !isBlank(cell);
    } else if (taken !== undefined) {
      if (field.kind === "key") this.#isKeyRead = false;
      this.#problems.push(cellProblem(line, field, cell, taken));
    }
  }

  #give(slot: number, value: string): void {
    this.given.slots.push(slot);
    this.given.values.push(value);
  }

  #judgeRequired(row: Row): void {
    const told =
      this.#problems.length === 0 ? undefined : new Set(this.#problems.map(({ column }) => column));
    for (const slot of this.#required) {
      const field = this.#fields[slot]!;
      const cell = cellOf(row, field.index);
      // In a survey, a cell whose format is still open gives no value.
      if (!isEmpty(cell, field) || told?.has(field.index + 1) === true) continue;
      const reason = `the field ${field.field} is required, and the cell is empty`;
      this.#problems.push(cellProblem(row.line, field, cell, { reason }));
    }
  }

  #judgeKind(line: number, only: "updates" | "creates"): void {
    if ((this.key !== undefined) === (only === "updates")) return;
    const reason =
      only === "updates"
        ? `it has no ${KEY_FIELD}, so it would create a record`
        : `its ${KEY_FIELD} would update a record`;
    this.#problems.push({
      line,
      field: KEY_FIELD,
      ...(this.key === undefined ? {} : { value: this.key }),
      reason,
      hint: `--only ${only} allows ${only} only`,
    });
  }
}

/** Why an object or array cannot be sent. */
function nestedProblem({ what }: NestedValue, { header }: ExaminedField): Unreadable {
  return {
    reason: `it holds a JSON ${what}, and a record holds plain values only`,
    hint: `${what === "object" ? "--flatten sends its members, " : ""}--drop ${quoteWord(header)} leaves it out`,
  };
}

/** A problem of one cell. */
function cellProblem(
  line: number,
  { index, header, field }: ExaminedField,
  cell: Cell,
  { reason, hint }: Unreadable,
): RowProblem {
  return {
    line,
    column: index + 1,
    header,
    field,
    // An object has no text; if all rows have one, a question reports it.
    ...(cell instanceof NestedValue ? {} : { value: showCell(cell) }),
    reason,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Problems of a JSON record, in the order of names: the order in which members were met means nothing to a reader. */
function ofRecord(problems: readonly RowProblem[], record: number | undefined): RowProblem[] {
  return problems.map((problem) => {
    const { column, ...named } = problem;
    const told = column === undefined ? problem : named;
    return record === undefined ? told : { ...told, record };
  });
}

/** Adds the name that the cell at fault has in its sheet. */
function nameCell(problem: RowProblem): RowProblem {
  const { column, line } = problem;
  return column === undefined ? problem : { ...problem, cell: cellName(column, line) };
}

const SPACE = 0x20;
const FIRST_BEYOND_ASCII = 0x80;

/** What decides about the cells of a used column, as far as their bytes show it. */
export function plainColumn(
  { index, kind, nulls, fallback }: ExaminedField,
  type: FormatSpec["kind"],
  { sendsEmpty }: RowRules,
): Omit<PlainColumn, "isAwaited"> {
  return {
    index,
    kind,
    areDigitsAlike: type === "amount" || type === "digits",
    givesEmpty: sendsEmpty && kind !== "key" && fallback === undefined,
    // Only a text is not trimmed before it is compared with the words.
    nulls: nulls.isEmpty ? undefined : kind === "text" ? nulls.firstBytes : withBlanks(nulls.firstBytes),
  };
}

/** The rules for whole rows; `undefined` if the values of a field are checked, which takes their text. */
export function plainRules(fields: readonly ExaminedField[], rules: RowRules): PlainRules | undefined {
  if (fields.length === 0 || fields.some(({ isChecked }) => isChecked)) return undefined;
  return rules;
}

function withBlanks(firstBytes: Uint8Array): Uint8Array {
  return firstBytes.map((isFirst, byte) => (byte <= SPACE || byte >= FIRST_BEYOND_ASCII ? 1 : isFirst));
}
