import { NestedValue, type Cell, type Row, type RowProblem } from "../model/row.ts";
import { cellText, showCell } from "./cell-text.ts";
import type { ColumnName } from "./column-names.ts";
import { KEY_FIELD } from "./known-fields.ts";
import { quoteWord } from "./shell-word.ts";
import { isBlank, trimSpaces } from "./spaces.ts";
import type { Unreadable } from "./value.ts";

/** Cells that mean "no value". */
export type NullWords = Pick<ReadonlySet<string>, "size" | "has">;

/** A used column, and how its cells are taken. */
export interface ExaminedField {
  /** 0-based position of the column. */
  readonly index: number;
  readonly header: string;
  readonly field: string;
  readonly kind: "key" | "text" | "typed";
  readonly nulls: NullWords;
  readonly isRequired: boolean;
  /** True where the config declares what values are possible. */
  readonly isChecked: boolean;
  /** What is sent where the cell gives no value. */
  readonly fallback: string | undefined;
  /** The wire value of a cell that is not empty, or why it has none; `undefined` for a key cell that is blank after all. */
  readonly take: (cell: Cell, line: number) => string | undefined | Unreadable;
}

/** What holds for a row as a whole. */
export interface RowRules {
  /** Empty cells are sent as `""`, except the key. */
  readonly sendsEmpty: boolean;
  readonly only: "updates" | "creates" | undefined;
  /** True where every record gets constants or defaults, so that a key alone is a record. */
  readonly hasExtras: boolean;
  /** Columns without a name, in which nothing may stand. */
  readonly nameless: readonly ColumnName[];
}

/** What a row is: a record to send, nothing to send, or its problems (at least one). */
export type RowVerdict = "record" | "skipped" | readonly RowProblem[];

/**
 * Judges rows. The survey and the building of records both go through it, so that what passed the survey is what is
 * sent. {@link RowExaminer.values} and {@link RowExaminer.key} hold the last row until the next.
 */
export class RowExaminer {
  /** By position in the fields given; `undefined` is left out of the record. */
  readonly values: (string | undefined)[];
  key: string | undefined;
  readonly #fields: readonly ExaminedField[];
  readonly #rules: RowRules;
  readonly #hasRequired: boolean;
  #problems: RowProblem[] = [];

  constructor(fields: readonly ExaminedField[], rules: RowRules) {
    this.#fields = fields;
    this.#rules = rules;
    this.#hasRequired = fields.some((field) => field.isRequired);
    this.values = fields.map(() => undefined);
  }

  examine(row: Row): RowVerdict {
    const { line, cells } = row;
    const { values } = this;
    this.key = undefined;
    if (this.#problems.length > 0) this.#problems = [];
    let isKeyRead = true;
    let givesValue = false;
    let hasContent = false;
    for (let slot = 0; slot < this.#fields.length; slot++) {
      const field = this.#fields[slot]!;
      const cell = cells[field.index];
      values[slot] = undefined;
      if (isEmpty(cell, field)) {
        if (
          this.#rules.sendsEmpty &&
          cell !== undefined &&
          field.kind !== "key" &&
          field.fallback === undefined
        ) {
          values[slot] = "";
          givesValue = true;
        }
        continue;
      }
      const taken = cell instanceof NestedValue ? nested(cell, field) : field.take(cell, line);
      if (typeof taken === "string") {
        values[slot] = taken;
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
    if (this.#hasRequired) this.#judgeRequired(row);
    if (isKeyRead && this.#rules.only !== undefined) this.#judgeKind(line, this.#rules.only);
    return this.#problems.length > 0 ? this.#problems : "record";
  }

  /** The first column without a name in which a row holds something. */
  namelessWithValue({ cells }: Row): ColumnName | undefined {
    return this.#rules.nameless.find(({ index }) => {
      const cell = cells[index];
      return cell !== undefined && cell !== null && !(typeof cell === "string" && isBlank(cell));
    });
  }

  #judgeNameless(row: Row): void {
    const { line, cells } = row;
    const column = this.namelessWithValue(row);
    if (column === undefined) return;
    const position = column.index + 1;
    this.#problems.push({
      line,
      column: position,
      value: showCell(cells[column.index]),
      reason: `column ${position} has no name, and here a value`,
      hint: `--map ${column.position}=field names its field, --drop ${column.position} leaves it out`,
    });
  }

  #judgeRequired({ line, cells }: Row): void {
    this.#fields.forEach((field, slot) => {
      const isMissing = field.isRequired && field.fallback === undefined && (this.values[slot] ?? "") === "";
      if (!isMissing || this.#problems.some(({ column }) => column === field.index + 1)) return;
      const reason = `the field ${field.field} is required, and the cell is empty`;
      this.#problems.push(cellProblem(line, field, cells[field.index], { reason }));
    });
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

/** True for a cell that gives no value. */
export function isEmpty(cell: Cell, { kind, nulls }: ExaminedField): boolean {
  if (cell === "" || cell === undefined || cell === null) return true;
  if (kind !== "text" && typeof cell === "string" && isBlank(cell)) return true;
  if (nulls.size === 0) return false;
  const text = cellText(cell);
  return text !== undefined && nulls.has(kind === "text" ? text : trimSpaces(text));
}

function nested({ what }: NestedValue, { header }: ExaminedField): Unreadable {
  return {
    reason: `it holds a JSON ${what}, and a record holds plain values only`,
    hint: `--drop ${quoteWord(header)} leaves it out`,
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
