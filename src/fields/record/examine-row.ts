import type { PlainColumn, PlainRules } from "../../kernel/plain-rows.ts";
import { cellName, quoteWord } from "../../model/text.ts";
import { type Cell, cellOf, NestedValue, type Row, type RowProblem } from "../../model/rows.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import { cellText, isBlank, showCell, trimSpaces } from "../spreadsheet-text.ts";
import type { FormatSpec } from "../survey/column-format.ts";
import type { Unreadable } from "../type-text.ts";

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
export type RowVerdict = "record" | "skipped" | readonly RowProblem[];

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

/** Words that mean "no value" in a cell. */
export class NullWords {
  readonly #words: ReadonlySet<string>;
  /** By byte: 1 if the UTF-8 of one of the words begins with it. */
  readonly firstBytes = new Uint8Array(256);

  constructor(words: Iterable<string>) {
    this.#words = new Set(words);
    for (const word of this.#words) this.firstBytes[Buffer.from(word)[0] ?? 0] = 1;
  }

  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  has(text: string): boolean {
    return this.#words.has(text);
  }
}
