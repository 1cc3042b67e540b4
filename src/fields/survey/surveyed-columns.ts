import { PlainSurvey } from "../../kernel/evidence.ts";
import { RecPushError } from "../../model/failure.ts";
import { MOST_COLUMNS } from "../../model/marker-columns.ts";
import { type Cell, type CellSpans, NestedValue, type Row } from "../../model/rows.ts";
import {
  type ColumnFault,
  type ColumnLook,
  type ColumnName,
  type ColumnsPlace,
  faultsError,
  nameColumn,
  nameColumns,
  type PlannedColumn,
  showColumn,
} from "../columns/column-faults.ts";
import { planColumns } from "../columns/column-plan.ts";
import { isKeyName } from "../columns/name-kinds.ts";
import {
  KEY_FIELD,
  knownFields,
  type KnownFields,
  typeOfField,
  undeclaredType,
} from "../columns/other-columns.ts";
import type { FieldOptions } from "../field-options.ts";
import {
  type ConstantValues,
  examinedField,
  type ExaminedField,
  type GivenValues,
  plainColumn,
  plainRules,
  RowExaminer,
  rowRules,
} from "../record/field-plan.ts";
import type { WatchedColumns } from "../odd/odd-rows.ts";
import { cellText, showCell } from "../spreadsheet-text.ts";
import { type FieldType, NullWords } from "../type-text.ts";
import { collectEvidence, settleColumns } from "./column-evidence.ts";
import type { ColumnFormat, TypedColumn } from "./column-format.ts";
import { KeyTally } from "./key-tally.ts";
import { UndeclaredColumn } from "./undeclared-column.ts";

const SAMPLES = 3;

/** A used column under survey. */
interface SurveyedColumn extends TypedColumn {
  readonly planned: PlannedColumn;
  /** Its first different cells. */
  readonly samples: readonly Cell[];
}

/** A column whose format is settled. */
export interface SettledColumn extends SurveyedColumn {
  readonly format: ColumnFormat;
  /** In how many records it has a value. */
  readonly filled: number;
}

/** The columns of an input under survey. For JSON their number grows while reading. */
export class SurveyedColumns {
  readonly #options: FieldOptions;
  readonly #constants: ConstantValues;
  readonly #place: ColumnsPlace;
  readonly #names: ColumnName[] = [];
  readonly planned: PlannedColumn[] = [];
  /** The columns in use, in column order. */
  readonly used: SurveyedColumn[] = [];
  /** True for the first rows, which are examined one by one: their cells are shown. */
  areFirst = true;
  readonly #fields: ExaminedField[] = [];
  /** By used column: in how many records it has a value. */
  readonly #filled: number[] = [];
  /** The watches of undeclared columns, by position. */
  readonly #looks = new Map<number, UndeclaredColumn>();
  readonly #known: KnownFields;
  #rows = 0;
  /** Of the rows as wholes, if a column may be the key: rows that are equal may have one key. */
  #wholeRows: KeyTally | undefined;
  readonly #nulls: ReadonlySet<string>;

  constructor(options: FieldOptions, constants: ConstantValues, place: ColumnsPlace) {
    this.#options = options;
    this.#constants = constants;
    this.#place = place;
    this.#known = knownFields(options);
    this.#nulls = new Set(options.nulls);
  }

  get count(): number {
    return this.#names.length;
  }

  get names(): readonly string[] {
    return this.#names.map(({ header }) => header);
  }

  /** Plans the new columns and begins to watch them. Doubts about them wait for {@link judge}. */
  grow(headers: readonly string[]): void {
    if (headers.length > MOST_COLUMNS) throw tooManyColumns(headers, this.#place);
    const added = nameColumns(headers, this.#names);
    this.#names.push(...added);
    for (const column of planColumns(added, this.#options, this.#place, this.#known).columns) {
      this.planned.push(column);
      if (this.#isOpen(column)) this.#looks.set(column.index, this.#watchLook(column));
      const { use, name } = column;
      if (use !== "field") continue;
      const { pins, today } = this.#options;
      const field = column.field!;
      const type = typeOfField(field, this.#options);
      const evidence = collectEvidence(type, pins, field, today);
      const samples: Cell[] = [];
      this.used.push({ name, field, type, evidence, planned: column, samples });
      const take = this.#sampling((cell, line) => evidence.take(cell, line), samples, field === KEY_FIELD);
      this.#fields.push(examinedField(column, this.#options, this.#constants, take));
    }
  }

  /** An examiner of rows with the columns so far. */
  examiner(): RowExaminer {
    const rules = rowRules(this.planned, this.#options, this.#constants, this.#place.noun);
    return new RowExaminer(this.#fields, rules);
  }

  /** A survey of plain rows; `undefined` if each needs a closer look. */
  plainSurvey(): PlainSurvey | undefined {
    const rules = rowRules(this.planned, this.#options, this.#constants, this.#place.noun);
    const plain = plainRules(this.#fields, rules);
    if (plain === undefined) return undefined;
    const columns = this.#fields.map((field, slot) => {
      const { type, evidence } = this.used[slot]!;
      return {
        ...plainColumn(field, field.kind === "key" ? "key" : type.kind, rules),
        isAwaited: field.isRequired && field.fallback === undefined,
        take: field.take,
        alike: (cell: Cell) => evidence.alike(cell),
        isIdle: evidence.isIdle ?? (() => false),
      };
    });
    return new PlainSurvey(columns, plain);
  }

  /** Collects the cells of undeclared columns. */
  look(row: Row): void {
    if (this.#looks.size === 0) return;
    const { spans, firstCell, width } = row;
    this.#wholeRows?.add(wholeText(row));
    this.#rows++;
    for (const [index, watch] of this.#looks) {
      const cell = firstCell + index;
      // Empty cells and absent members are passed over.
      if (index >= width || spans.starts[cell]! >= spans.ends[cell]!) continue;
      if (this.#nulls.size === 0 && watch.addAlike(spans, cell)) continue;
      const value = spans.value(cell);
      if (value instanceof NestedValue && countFilled(spans, firstCell, width) === 1) watch.addAlone();
      if (this.#nulls.size === 0) watch.addSpan(spans, cell);
      else if (!this.#nulls.has(cellText(value) ?? "")) watch.add(value);
    }
  }

  /** Counts the values of a record, which were taken last. */
  countRecord({ slots, values }: GivenValues): void {
    for (const [at, slot] of slots.entries()) {
      // An empty cell that is sent is no value.
      if (values[at] === "") continue;
      this.addFilled(slot, 1);
      this.used[slot]!.evidence.count?.();
    }
  }

  /** Adds records in so many of which a column has a value; their cells were counted before. */
  addFilled(slot: number, records: number): void {
    this.#filled[slot] = (this.#filled[slot] ?? 0) + records;
  }

  /** The columns with the facts that find odd rows. */
  watched(): WatchedColumns {
    const common = new NullWords(this.#options.nulls);
    const nullsAt = this.planned.map(() => common);
    for (const { index, nulls } of this.#fields) nullsAt[index] = nulls;
    return {
      width: this.count,
      key: this.#fields.find(({ kind }) => kind === "key")?.index,
      digits: this.used.flatMap(({ planned, type }) => (type.kind === "digits" ? [planned.index] : [])),
      nullsAt: nullsAt.map((nulls) => (nulls.isEmpty ? undefined : nulls)),
    };
  }

  /** Throws all questions about the columns at once; `more`: those about their formats. */
  judge(more: readonly ColumnFault[] = []): void {
    const lookAt = ({ index }: PlannedColumn): ColumnLook | undefined =>
      this.#looks.get(index)?.look(this.#rows, this.#wholeRows?.repeated);
    const plan = planColumns(this.#names, this.#options, this.#place, this.#known);
    const faults = this.count === 0 ? more : [...plan.faults(lookAt), ...more];
    if (faults.length > 0) throw faultsError(faults, this.#place);
    const changed = plan.columns.find(({ use, field }, index) => {
      const before = this.planned[index]!;
      return use !== before.use || field !== before.field;
    });
    if (changed !== undefined) throw namedAlike(changed, this.#place);
  }

  /**
   * Settles the formats of all columns together: the others decide for a column that has no evidence of its own. Throws
   * all questions at once.
   */
  settle(): SettledColumn[] {
    const { formats, faults } = settleColumns(this.used, this.#place.noun);
    this.judge(faults);
    return this.used.map((column, slot) => ({
      ...column,
      format: formats[slot]!,
      filled: this.#filled[slot] ?? 0,
    }));
  }

  /** The types that values give to sent, undeclared columns, by field. */
  otherTypes(): ReadonlyMap<string, FieldType> {
    const types = new Map<string, FieldType>();
    for (const { use, field, index } of this.planned) {
      const isOpen = use === "field" && this.#options.otherTypes === undefined;
      const kind = isOpen ? this.#looks.get(index)?.look(this.#rows).kind : undefined;
      if (kind !== undefined && kind !== "text") types.set(field!, { kind });
    }
    return types;
  }

  /** Keeps different cells of the first rows as samples; of later rows the first, if there is none yet, but no key: few keys come here. */
  #sampling(take: ExaminedField["take"], samples: Cell[], isKey: boolean): ExaminedField["take"] {
    return (cell, line) => {
      const taken = take(cell, line);
      const most = this.areFirst ? SAMPLES : isKey ? 0 : 1;
      if (samples.length < most && typeof taken === "string") {
        const isSampled = samples.some((sample) => showCell(sample) === showCell(cell));
        if (!isSampled) samples.push(cell);
      }
      return taken;
    };
  }

  #isOpen({ use, isOther, field }: PlannedColumn): boolean {
    if (use === "nameless" || !isOther) return use === "nameless";
    const isByName = field !== undefined && undeclaredType(field).kind !== "text";
    return use !== "field" || !isByName;
  }

  #watchLook(column: PlannedColumn): UndeclaredColumn {
    const mayBeKey = isKeyName(column.name);
    if (mayBeKey) this.#wholeRows ??= new KeyTally();
    return new UndeclaredColumn(column.name, mayBeKey);
  }
}

function countFilled({ starts, ends }: CellSpans, firstCell: number, width: number): number {
  let filled = 0;
  for (let cell = firstCell; cell < firstCell + width; cell++) if (starts[cell]! < ends[cell]!) filled++;
  return filled;
}

function tooManyColumns(headers: readonly string[], place: ColumnsPlace): RecPushError {
  const last = nameColumn(headers.at(-1)!, headers.length - 1);
  const message = `${place.file}: a table may have ${MOST_COLUMNS.toLocaleString("en")} ${place.noun}s, this one has ${headers.length.toLocaleString("en")}, the last ${showColumn(last, place)}`;
  return new RecPushError("too-many-columns", message, {
    place: { file: place.file },
    hint: "export only the columns that the service needs; if there are not so many, another --delimiter separates them",
  });
}

// An option meant this member until one came whose name is exactly that of the option.
function namedAlike(column: ColumnName, place: ColumnsPlace): RecPushError {
  const message = `${place.file}: ${showColumn(column, place)} and another have similar names, and an option means one of them`;
  return new RecPushError("members-alike", message, {
    place: { file: place.file },
    hint: "say of each where it goes, with --map or --drop and its exact name",
  });
}

/** All cells of a row as one text. */
function wholeText({ cells }: Row): string {
  return cells.map((cell) => (cell === undefined ? "" : showCell(cell))).join("\0");
}
