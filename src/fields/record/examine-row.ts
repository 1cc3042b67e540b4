import { cellOf, NestedValue, type Cell, type Row, type RowProblem } from "../../model/row.ts";
import { cellText, showCell } from "../cell-text.ts";
import type { ColumnName } from "../columns/column-names.ts";
import { KEY_FIELD } from "../columns/known-fields.ts";
import { quoteWord } from "../shell-word.ts";
import type { NullWords } from "../null-words.ts";
import { isBlank, trimSpaces } from "../spaces.ts";
import type { Unreadable } from "../value.ts";

/** Of a column that goes to no field. */
const NO_SLOT = -1;

/** A used column, and how its cells are taken. */
export interface ExaminedField {
  /** 0-based position of the column. */
  readonly index: number;
  readonly header: string;
  readonly field: string;
  readonly kind: "key" | "text" | "typed";
  readonly nulls: NullWords;
  readonly isRequired: boolean;
  /** True if the config declares what values are possible. */
  readonly isChecked: boolean;
  /** The wire value if the cell gives none. */
  readonly fallback: string | undefined;
  /** The wire value of a cell that is not empty, or why it has none; `undefined` for a key cell that is blank after all. */
  readonly take: (cell: Cell, line: number) => string | undefined | Unreadable;
}

/** Rules for a row as a whole. */
export interface RowRules {
  /** Empty cells are sent as `""`, except the key. */
  readonly sendsEmpty: boolean;
  readonly only: "updates" | "creates" | undefined;
  /** True if every record gets constants or defaults, so that a key alone is a record. */
  readonly hasExtras: boolean;
  /** Columns without a name, which must be empty. */
  readonly nameless: readonly ColumnName[];
}

/** The values of a row, by the order of their fields: only those that are sent. */
export interface GivenValues {
  count: number;
  /** Up to `count`, rising: positions in the fields examined. */
  readonly slots: number[];
  /** Up to `count`: the wire value for each. */
  readonly values: string[];
}

/** Result for a row: a record to send, nothing to send, or its problems (at least one). */
export type RowVerdict = "record" | "skipped" | readonly RowProblem[];

/**
 * Judges rows. The survey and the building of records both go through it, so that what passed the survey is what is
 * sent. {@link RowExaminer.given} and {@link RowExaminer.key} hold the last row until the next.
 */
export class RowExaminer {
  readonly given: GivenValues = { count: 0, slots: [], values: [] };
  key: string | undefined;
  readonly #fields: readonly ExaminedField[];
  readonly #rules: RowRules;
  /** The slots of fields that every record has to have. */
  readonly #required: readonly number[];
  /** The slot of each column; made for the first row that lists its columns. */
  #slotOf: Int32Array | undefined;
  /** The columns without a name by their positions; made for such a row too. */
  #namelessAt: Map<number, ColumnName> | undefined;
  #problems: RowProblem[] = [];

  constructor(fields: readonly ExaminedField[], rules: RowRules) {
    this.#fields = fields;
    this.#rules = rules;
    this.#required = fields.flatMap(({ isRequired, fallback }, slot) =>
      isRequired && fallback === undefined ? [slot] : [],
    );
  }

  examine(row: Row): RowVerdict {
    const { line, cells, columns } = row;
    const { given } = this;
    const slotOf = columns === undefined ? undefined : (this.#slotOf ??= slotsByColumn(this.#fields));
    const count = columns === undefined ? this.#fields.length : columns.length;
    given.count = 0;
    this.key = undefined;
    if (this.#problems.length > 0) this.#problems = [];
    let isKeyRead = true;
    let givesValue = false;
    let hasContent = false;
    for (let at = 0; at < count; at++) {
      const slot = slotOf === undefined ? at : (slotOf[columns![at]!] ?? NO_SLOT);
      if (slot === NO_SLOT) continue;
      const field = this.#fields[slot]!;
      // Columns after its last cell belong to other rows.
      if (slotOf === undefined && field.index >= cells.length) break;
      const cell = cells[slotOf === undefined ? field.index : at];
      if (isEmpty(cell, field)) {
        if (
          this.#rules.sendsEmpty &&
          cell !== undefined &&
          field.kind !== "key" &&
          field.fallback === undefined
        ) {
          give(given, slot, "");
          givesValue = true;
        }
        continue;
      }
      const taken = cell instanceof NestedValue ? nested(cell, field) : field.take(cell, line);
      if (typeof taken === "string") {
        give(given, slot, taken);
        if (field.kind === "key") {
          this.key = taken;
          continue;
        }
        givesValue = true;
        hasContent ||= field.kind === "typed" || typeof cell !== "string" || !isBlank(cell);
      } else if (taken !== undefined) {
        if (field.kind === "key") isKeyRead = false;
        this.#problems.push(cellProblem(line, field, cell, taken));
      }
    }
    if (this.#rules.nameless.length > 0) this.#judgeNameless(row);
    if (this.#problems.length === 0) {
      const isGiving = this.key === undefined ? hasContent : givesValue || this.#rules.hasExtras;
      if (!isGiving) return "skipped";
    }
    if (this.#required.length > 0) this.#judgeRequired(row);
    if (isKeyRead && this.#rules.only !== undefined) this.#judgeKind(line, this.#rules.only);
    return this.#problems.length > 0 ? this.#problems : "record";
  }

  /** The first column without a name in which a row holds something. */
  namelessWithValue({ cells, columns }: Row): ColumnName | undefined {
    const { nameless } = this.#rules;
    if (columns === undefined) {
      for (const column of nameless) {
        if (column.index >= cells.length) return undefined;
        if (holdsValue(cells[column.index])) return column;
      }
      return undefined;
    }
    if (nameless.length === 0) return undefined;
    this.#namelessAt ??= new Map(nameless.map((column) => [column.index, column]));
    const at = columns.findIndex((index, cell) => this.#namelessAt!.has(index) && holdsValue(cells[cell]));
    return at === -1 ? undefined : this.#namelessAt.get(columns[at]!);
  }

  #judgeNameless(row: Row): void {
    const { line } = row;
    const column = this.namelessWithValue(row);
    if (column === undefined) return;
    const position = column.index + 1;
    this.#problems.push({
      line,
      column: position,
      value: showCell(cellOf(row, column.index)),
      reason: `column ${position} has no name, and here a value`,
      hint: `--map ${column.position}=field names its field, --drop ${column.position} leaves it out`,
    });
  }

  #judgeRequired(row: Row): void {
    const told =
      this.#problems.length === 0 ? undefined : new Set(this.#problems.map(({ column }) => column));
    for (const slot of this.#required) {
      const field = this.#fields[slot]!;
      const cell = cellOf(row, field.index);
      // A survey gives no value for a cell whose format is still to be settled.
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

function holdsValue(cell: Cell): boolean {
  return cell !== undefined && cell !== null && !(typeof cell === "string" && isBlank(cell));
}

function give(given: GivenValues, slot: number, value: string): void {
  given.slots[given.count] = slot;
  given.values[given.count] = value;
  given.count++;
}

function slotsByColumn(fields: readonly ExaminedField[]): Int32Array {
  const slots = new Int32Array((fields.at(-1)?.index ?? -1) + 1).fill(NO_SLOT);
  for (const [slot, { index }] of fields.entries()) slots[index] = slot;
  return slots;
}

/** True for a cell that gives no value. */
export function isEmpty(cell: Cell, { kind, nulls }: ExaminedField): boolean {
  if (cell === "" || cell === undefined || cell === null) return true;
  if (kind !== "text" && typeof cell === "string" && isBlank(cell)) return true;
  if (nulls.isEmpty) return false;
  const text = cellText(cell);
  return text !== undefined && nulls.has(kind === "text" ? text : trimSpaces(text));
}

function nested({ what }: NestedValue, { header }: ExaminedField): Unreadable {
  return {
    reason: `it holds a JSON ${what}, and a record holds plain values only`,
    hint:
      what === "object"
        ? `--flatten sends its members, --drop ${quoteWord(header)} leaves it out`
        : `--drop ${quoteWord(header)} leaves it out, --json-path sends the records in it instead`,
  };
}

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
    value: showCell(cell),
    reason,
    ...(hint === undefined ? {} : { hint }),
  };
}
