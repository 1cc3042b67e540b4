import type { SurveyCounts, SurveyReport } from "../../model/event.ts";
import { RecPushError } from "../../model/failure.ts";
import type { Notice, Reading } from "../../model/reading.ts";
import { REJECTED_VALUE } from "../../model/reject-columns.ts";
import { quoteText } from "../../model/visible-text.ts";
import type { Row, RowChunk, RowProblem } from "../../model/row.ts";
import { reportColumn } from "./column-report.ts";
import { faultsError, showColumn, type ColumnsPlace } from "../columns/column-faults.ts";
import type { ColumnWatch } from "./column-watch.ts";
import { columnsPlace } from "../columns/columns-place.ts";
import { readConstants, type ConstantValues } from "../record/constant-values.ts";
import { RowExaminer } from "../record/examine-row.ts";
import type { FieldOptions } from "../field-options.ts";
import { buildPlan, type FieldPlan, type PlanParts } from "../record/field-plan.ts";
import { inferredPins } from "./inferred-pins.ts";
import { KeyTally } from "./key-tally.ts";
import { FooterWatch } from "./footer-watch.ts";
import { judgeFooter } from "./judge-footer.ts";
import { NestedWatch } from "./nested-watch.ts";
import { settleFields, type SettledColumn } from "./settled-fields.ts";
import { SurveyedColumns } from "./surveyed-columns.ts";

/** More problems than these are counted, not kept. */
export const MAX_KEPT_PROBLEMS = 100;

/** What the survey of columns and values found, and the plan that the building of records needs. */
export interface FieldSettlement extends Omit<SurveyReport, "reading" | "counts"> {
  readonly counts: SurveyCounts;
  readonly plan: FieldPlan;
}

/** Hears of every update in file order: its key, its line, and where its row begins. */
export type OnKey = (key: string, line: number, start: number) => void;

/**
 * The first pass over the rows of one input: collects what settles the formats, and every problem. Throws RecPushError
 * for what concerns the whole input: about CSV columns at once, about JSON members, which appear while reading, at the
 * end.
 */
export class FieldSurvey {
  readonly #options: FieldOptions;
  readonly #place: ColumnsPlace;
  readonly #constants: ConstantValues;
  readonly #columns: SurveyedColumns;
  #examiner: RowExaminer;
  readonly #keys = new KeyTally();
  readonly #problems: RowProblem[] = [];
  readonly #onKey: OnKey | undefined;
  readonly #footer: FooterWatch | undefined;
  readonly #nested = new NestedWatch();
  #rows = 0;
  #updates = 0;
  #creates = 0;
  #skipped = 0;
  #invalid = 0;
  #invalidBytes = 0;

  constructor(reading: Reading, options: FieldOptions, onKey?: OnKey) {
    this.#onKey = onKey;
    this.#options = options;
    this.#place = columnsPlace(reading);
    this.#constants = readConstants(options);
    this.#columns = new SurveyedColumns(options, this.#constants, this.#place);
    if (reading.format === "csv" && !options.keepsFooter) this.#footer = new FooterWatch();
    if (reading.format === "csv") {
      this.#columns.grow(reading.columns);
      this.#columns.judge();
    }
    this.#examiner = this.#columns.examiner();
  }

  /** Takes the next stretch of rows, in file order. */
  addChunk(chunk: RowChunk): void {
    if (chunk.columns.length > this.#columns.count) {
      this.#columns.grow(chunk.columns);
      this.#examiner = this.#columns.examiner();
    }
    const { rows, unreadable } = chunk;
    const problems: RowProblem[] = [...unreadable];
    for (const row of rows) this.#addRow(row, problems);
    this.#footer?.add(rows, unreadable.at(-1)?.line);
    this.#rows += rows.length + unreadable.length;
    for (const row of unreadable) this.#addInvalid(row);
    if (problems.length === 0 || this.#problems.length >= MAX_KEPT_PROBLEMS) return;
    problems.sort((left, right) => left.line - right.line);
    this.#problems.push(...problems.slice(0, MAX_KEPT_PROBLEMS - this.#problems.length));
  }

  /** What the plan would be made of if the rows ended here; `undefined` where something is in doubt. */
  get partsSoFar(): PlanParts | undefined {
    try {
      return this.#partsOf(this.#settle());
    } catch (error) {
      if (error instanceof RecPushError) return undefined;
      throw error;
    }
  }

  /** Settles every format. Throws RecPushError where the values leave a question. */
  finish(): FieldSettlement {
    const { planned, watches } = this.#columns;
    const settled = this.#settle();
    const nested = this.#updates + this.#creates > 0 ? undefined : this.#nested.fault(planned, this.#place);
    if (nested !== undefined) throw faultsError([nested], this.#place);
    const used = new Map(settled.map((column) => [column.watch.column.index, column]));
    const plan = buildPlan(this.#partsOf(settled), this.#constants);
    const footer = this.#judgeFooter(plan, settled);
    return {
      plan: footer.size === 0 ? plan : { ...plan, footer },
      counts: {
        rows: this.#rows,
        updates: this.#updates,
        creates: this.#creates,
        skipped: this.#skipped,
        superseded: 0,
        invalid: this.#invalid,
        invalidBytes: this.#invalidBytes,
        repeatedKeys: this.#keys.repeated,
        repeatedKeysBounded: this.#keys.isBounded,
      },
      problems: this.#problems,
      columns: planned.map((column) => reportColumn(column, used.get(column.index), this.#options)),
      notices: [...watches.flatMap(typeNotice), ...watches.flatMap(damageNotice)],
      pins: inferredPins(settled),
    };
  }

  #settle(): SettledColumn[] {
    const { file, noun } = this.#place;
    // An empty array has no members, and so none that an option could name.
    if (noun === "member" && this.#columns.count > 0) this.#columns.judge();
    return settleFields(this.#columns.watches, this.#options, this.#constants, file);
  }

  #partsOf(settled: readonly SettledColumn[]): PlanParts {
    const specs = settled.map(({ spec }) => spec);
    return { file: this.#place.file, columns: [...this.#columns.planned], specs, options: this.#options };
  }

  // They were counted as records before anybody knew that they were the last.
  #judgeFooter(plan: FieldPlan, settled: readonly SettledColumn[]): ReadonlyMap<number, RowProblem> {
    if (this.#footer === undefined) return new Map();
    const footer = judgeFooter(this.#footer, plan.headers, settled);
    const examiner = new RowExaminer(plan.fields, plan.rules);
    for (const row of this.#footer.held) {
      const problem = footer.get(row.line);
      if (problem === undefined || examiner.examine(row) !== "record") continue;
      if (examiner.key === undefined) this.#creates--;
      else this.#updates--;
      this.#addInvalid(row);
      if (this.#problems.length < MAX_KEPT_PROBLEMS) this.#problems.push(problem);
    }
    return footer;
  }

  #addInvalid({ start, end }: Pick<Row, "start" | "end">): void {
    this.#invalid++;
    this.#invalidBytes += end - start;
  }

  #addRow(row: Row, problems: RowProblem[]): void {
    const nameless = this.#examiner.namelessWithValue(row);
    if (nameless !== undefined) throw usedNameless(nameless, row.line, this.#place);
    const verdict = this.#examiner.examine(row);
    if (verdict === "record") {
      const { key } = this.#examiner;
      if (key === undefined) {
        this.#creates++;
      } else {
        this.#updates++;
        this.#keys.add(key);
        this.#onKey?.(key, row.line, row.start);
      }
    } else if (verdict === "skipped") {
      this.#skipped++;
    } else {
      this.#addInvalid(row);
      if (this.#place.noun === "member") this.#nested.add(row);
      // Beyond the bound they are only counted.
      if (problems.length < MAX_KEPT_PROBLEMS) problems.push(...verdict);
    }
  }
}

function damageNotice({ column, damage }: ColumnWatch): Notice[] {
  return damage().map((text) => ({ text: `column ${quoteText(column.header)}: ${text}` }));
}

function typeNotice({ column, looksLike }: ColumnWatch): Notice[] {
  const kind = looksLike();
  if (kind === undefined) return [];
  const option = `--type ${column.field}=${kind}`;
  return [
    {
      text: `all values of ${column.field} read as ${kind}s and are sent as text, unchanged: ${option} converts them`,
    },
  ];
}

function usedNameless(
  column: Parameters<typeof showColumn>[0],
  line: number,
  place: ColumnsPlace,
): RecPushError {
  if (column.name === REJECTED_VALUE) return notWrittenOut(line, place);
  const { position } = column;
  return new RecPushError(
    "input",
    "nameless-column",
    `${place.file}:${line}: ${showColumn(column, place)} holds values and has no name`,
    {
      place: { file: place.file, line, column: column.index + 1 },
      hint: `--map ${position}=field names its field, --drop ${position} leaves it out`,
    },
  );
}

function notWrittenOut(line: number, { file }: ColumnsPlace): RecPushError {
  const message = `${file}:${line}: ${REJECTED_VALUE} holds what was no row when it was rejected`;
  return new RecPushError("input", "rejected-value", message, {
    place: { file, line },
    hint: `write it out as members of the record and delete ${REJECTED_VALUE}, or delete the record`,
  });
}
