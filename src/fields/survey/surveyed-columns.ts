import { RecPushError } from "../../model/failure.ts";
import { faultsError, showColumn, type ColumnsPlace } from "../columns/column-faults.ts";
import { nameColumn, nameColumns, type ColumnName } from "../columns/column-names.ts";
import { knownFields, planColumns } from "../columns/column-plan.ts";
import { type KnownFields, typeOfField } from "../columns/known-fields.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import { watchColumn, type ColumnWatch } from "./column-watch.ts";
import type { ConstantValues } from "../record/constant-values.ts";
import { RowExaminer, type ExaminedField } from "../record/examine-row.ts";
import type { FieldOptions } from "../field-options.ts";
import { examinedField, rowRules } from "../record/field-plan.ts";

// More than a spreadsheet has: the names of such members are data.
const MAX_COLUMNS = 16_384;

/** The columns of an input under survey. For JSON they become more while reading. */
export class SurveyedColumns {
  readonly #options: FieldOptions;
  readonly #constants: ConstantValues;
  readonly #place: ColumnsPlace;
  readonly #names: ColumnName[] = [];
  readonly planned: PlannedColumn[] = [];
  /** Of the columns in use, in column order. */
  readonly watches: ColumnWatch[] = [];
  readonly #fields: ExaminedField[] = [];
  readonly #known: KnownFields;

  constructor(options: FieldOptions, constants: ConstantValues, place: ColumnsPlace) {
    this.#options = options;
    this.#constants = constants;
    this.#place = place;
    this.#known = knownFields(options);
  }

  get count(): number {
    return this.#names.length;
  }

  /** Plans the columns that are new and begins to watch them. What is in doubt about them waits for {@link judge}. */
  grow(headers: readonly string[]): void {
    if (headers.length > MAX_COLUMNS) throw tooManyColumns(headers, this.#place);
    const added = nameColumns(headers, this.#names);
    this.#names.push(...added);
    for (const column of planColumns(added, this.#options, this.#place, this.#known).columns) {
      this.planned.push(column);
      if (column.use !== "field") continue;
      const watch = watchColumn(column, typeOfField(column.field!, this.#options), this.#options.pins);
      this.watches.push(watch);
      this.#fields.push(examinedField(column, this.#options, this.#constants, watch.take));
    }
  }

  /** An examiner of rows with the columns so far. */
  examiner(): RowExaminer {
    return new RowExaminer(this.#fields, rowRules(this.planned, this.#options, this.#constants));
  }

  /** Throws for what is in doubt about the columns, all at once. */
  judge(): void {
    const { columns, faults } = planColumns(this.#names, this.#options, this.#place, this.#known);
    if (faults.length > 0) throw faultsError(faults, this.#place);
    const changed = columns.find(({ use, field }, index) => {
      const before = this.planned[index]!;
      return use !== before.use || field !== before.field;
    });
    if (changed !== undefined) throw namedAlike(changed, this.#place);
  }
}

function tooManyColumns(headers: readonly string[], place: ColumnsPlace): RecPushError {
  const last = nameColumn(headers.at(-1)!, headers.length - 1);
  const message = `${place.file}: more than ${MAX_COLUMNS} ${place.noun}s, the last ${showColumn(last, place)}`;
  return new RecPushError("input", "too-many-columns", message, { place: { file: place.file } });
}

// An option named it, and only later came the member that has exactly that name.
function namedAlike(column: ColumnName, place: ColumnsPlace): RecPushError {
  const message = `${place.file}: ${showColumn(column, place)} and another are named alike, and an option means one of them`;
  return new RecPushError("input", "members-alike", message, {
    place: { file: place.file },
    hint: "say of each where it goes, with --map or --drop and its exact name",
  });
}
