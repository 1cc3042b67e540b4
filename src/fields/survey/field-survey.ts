import { RecPushError } from "../../model/failure.ts";
import { isTabular, type ReadingSoFar } from "../../model/reading.ts";
import type { Row, RowChunk, RowList } from "../../model/row.ts";
import type { BulkSurvey, PassedRows } from "../bulk/bulk-survey.ts";
import { BulkStart } from "../bulk/bulk-start.ts";
import { columnFigures } from "./column-figures.ts";
import { FillTally } from "./fill-tally.ts";
import { reportColumn } from "./column-report.ts";
import type { FieldSettlement, OnKey } from "./field-settlement.ts";
import { faultsError, type ColumnsPlace } from "../columns/column-faults.ts";
import { lackingColumns } from "../columns/lacking-columns.ts";
import { columnNotices } from "./column-notices.ts";
import { columnsPlace } from "../columns/columns-place.ts";
import { readConstants, type ConstantValues } from "../record/constant-values.ts";
import type { RowExaminer } from "../record/examine-row.ts";
import type { FieldOptions } from "../field-options.ts";
import { buildPlan, type PlanParts } from "../record/field-plan.ts";
import { inferredPins } from "./inferred-pins.ts";
import { InvalidRows } from "./invalid-rows.ts";
import { type FoundOdd, OddRows } from "../totals/odd-rows.ts";
import { SurveyedTotals } from "../totals/surveyed-totals.ts";
import { TotalsWatch } from "../totals/totals-watch.ts";
import { KeyTally } from "./key-tally.ts";
import { NestedWatch } from "./nested-watch.ts";
import { refuseNothingSent } from "./refuse-nothing-sent.ts";
import { RepeatedHeaders } from "./repeated-headers.ts";
import { settleAll, settleFields, type SettledColumn } from "./settled-fields.ts";
import type { FieldType } from "../value.ts";
import { SurveyedColumns } from "./surveyed-columns.ts";
import { ThinCreates } from "./thin-creates.ts";
import { usedNameless } from "./used-nameless.ts";

/**
 * The first pass over the rows of one input: collects what settles the formats, and every problem. Throws RecPushError
 * for what concerns the whole input: at once if options name no column of a CSV, and at the end, when all values are
 * known, for questions.
 */
export class FieldSurvey {
  readonly #options: FieldOptions;
  readonly #place: ColumnsPlace;
  readonly #constants: ConstantValues;
  readonly #columns: SurveyedColumns;
  #examiner: RowExaminer;
  readonly #keys = new KeyTally();
  readonly #invalid: InvalidRows;
  readonly #onKey: OnKey | undefined;
  readonly #watch: TotalsWatch;
  readonly #totals: SurveyedTotals;
  readonly #odd: OddRows;
  readonly #headers = new RepeatedHeaders();
  readonly #bulk: BulkStart<BulkSurvey>;
  /** Surveys many rows of the present chunk at a time. */
  #rowsAtOnce: BulkSurvey | undefined;
  readonly #nested = new NestedWatch();
  readonly #fills = new FillTally();
  readonly #thin = new ThinCreates();
  #rows = 0;
  #updates = 0;
  #creates = 0;
  #skipped = 0;

  /** `bulkFrom`: from how many rows on they are surveyed many at a time; `odd`: what an earlier survey of them found. */
  constructor(
    reading: ReadingSoFar,
    options: FieldOptions,
    onKey?: OnKey,
    bulkFrom?: number,
    odd?: FoundOdd,
  ) {
    this.#onKey = onKey;
    this.#options = options;
    this.#place = columnsPlace(reading);
    this.#invalid = new InvalidRows(isTabular(reading.format));
    this.#constants = readConstants(options);
    this.#columns = new SurveyedColumns(options, this.#constants, this.#place);
    if (isTabular(reading.format)) {
      this.#columns.grow(reading.columns);
      this.#columns.judgeOptions();
    }
    this.#examiner = this.#columns.examiner();
    this.#watch = new TotalsWatch(this.#columns.watched());
    this.#totals = new SurveyedTotals(options);
    this.#odd = new OddRows(this.#columns.watched(), this.#place.file, options, odd);
    this.#bulk = new BulkStart(() => this.#columns.bulk(this.#watch, this.#fills), bulkFrom);
  }

  /**
   * Takes the next rows of a chunk, in file order: those from `from` up to `end`, or more where they are plain. Returns the
   * first one that is left, so that whoever surveys a wide table can hear a signal in between.
   */
  addChunk(chunk: RowChunk, from = 0, end = chunk.rows.length): number {
    const { rows } = chunk;
    if (from === 0) this.#beginChunk(chunk);
    let at = from;
    for (; at < end; at++) {
      if (this.#rowsAtOnce !== undefined)
        at = this.#rowsAtOnce.survey(rows, at, (passed) => this.#pass(rows, passed));
      if (at < rows.length) this.#addRow(rows.row(at));
    }
    if (at < rows.length) return at;
    this.#endChunk(chunk);
    return rows.length;
  }

  /** The parts of the plan as if the rows ended here; `undefined` if something is undecided. */
  get partsSoFar(): PlanParts | undefined {
    // Until all values are known they would only count as text.
    if (this.#columns.otherTypes().size > 0) return undefined;
    try {
      return this.#partsOf(this.#settle());
    } catch (error) {
      if (error instanceof RecPushError) return undefined;
      throw error;
    }
  }

  /** The rows that are unlike all others: if there are any, the rows have to be surveyed once more without them. */
  oddRows(): FoundOdd {
    return this.#odd.finish();
  }

  /**
   * The types that the values of sent, undeclared columns have. If there are any, the rows have to be surveyed once
   * more with them. Throws RecPushError if a type is not certain.
   */
  otherTypes(): ReadonlyMap<string, FieldType> {
    const types = this.#columns.otherTypes();
    if (types.size > 0) this.#columns.judge();
    return types;
  }

  /** Settles every format. Throws RecPushError if the values leave a question open. */
  finish(): FieldSettlement {
    const { planned, watches } = this.#columns;
    const settled = this.#settleAll();
    const used = new Map(settled.map((column) => [column.watch.column.index, column]));
    const plan = buildPlan(this.#partsOf(settled), this.#constants);
    const suspects = this.#totals.finish(this.#invalid.problems);
    const counted = { rows: this.#rows, skipped: this.#skipped, leftOut: suspects?.count ?? 0 };
    refuseNothingSent(counted, planned, this.#options, this.#place);
    return {
      plan: suspects === undefined ? plan : { ...plan, suspects },
      figures: columnFigures(settled, this.#fills),
      counts: {
        rows: this.#rows,
        updates: this.#updates,
        creates: this.#creates,
        skipped: this.#skipped,
        superseded: 0,
        invalid: this.#invalid.rows,
        invalidBytes: this.#invalid.bytes,
        repeatedKeys: this.#keys.repeated,
        repeatedKeysBounded: this.#keys.isBounded,
      },
      problems: this.#invalid.problems,
      groups: this.#invalid.groups(suspects?.hint),
      columns: planned.map((column) => reportColumn(column, used.get(column.index), this.#options)),
      notices: [
        ...this.#headers.notices,
        ...(this.#rows > 0 ? lackingColumns(planned, this.#options) : []),
        ...this.#totals.notices,
        ...this.#thin.notices(watches, (slot) => this.#fills.count(slot), this.#updates),
        ...columnNotices(watches, this.#place),
      ],
      pins: inferredPins(settled, this.#options),
    };
  }

  #beginChunk({ columns, rows, unreadable, headers = [] }: RowChunk): void {
    if (columns.length > this.#columns.count) {
      this.#columns.grow(columns);
      this.#examiner = this.#columns.examiner();
      this.#watch.grow(this.#columns.watched());
      this.#odd.grow(this.#columns.watched());
      this.#bulk.restart();
    }
    this.#headers.add(headers);
    for (const row of unreadable) this.#invalid.addUnreadable(row);
    this.#rowsAtOnce = this.#odd.areKnown ? undefined : this.#bulk.forRows(rows.length);
  }

  #endChunk({ rows, unreadable }: RowChunk): void {
    this.#rows += rows.length + unreadable.length;
    if (unreadable.length > 0) this.#totals.pass(unreadable.at(-1)!.start);
    this.#invalid.endChunk();
  }

  #settle(): SettledColumn[] {
    // An empty array has no members, so no option can name one.
    if (this.#columns.count > 0) this.#columns.judge();
    return settleFields(this.#columns.watches, this.#options, this.#constants, this.#place);
  }

  #settleAll(): SettledColumn[] {
    const place = this.#place;
    const settled = settleAll(this.#columns, this.#options, this.#constants, place, this.#invalid);
    const isNested = this.#updates + this.#creates === 0;
    const nested = isNested ? this.#nested.fault(this.#columns.planned, place) : undefined;
    if (nested !== undefined) throw faultsError([nested], place);
    return settled;
  }

  #partsOf(settled: readonly SettledColumn[]): PlanParts {
    const specs = settled.map(({ spec }) => spec);
    const { file, noun } = this.#place;
    return { file, noun, columns: [...this.#columns.planned], specs, options: this.#options };
  }

  /** Counts plain rows that were surveyed many at a time. */
  #pass(rows: RowList, { from, end, keys, rowOf }: PassedRows): void {
    this.#columns.lookAll(rows, from, end);
    this.#odd.noteAll(end - from, (at) => rows.row(from + at));
    this.#totals.pass(rows.start(end - 1));
    this.#updates += keys.count;
    this.#creates += end - from - keys.count;
    this.#keys.addAll(keys);
    if (this.#onKey === undefined) return;
    for (let at = 0; at < keys.count; at++) {
      const row = rowOf(at);
      this.#onKey(keys.text(at), rows.line(row), rows.start(row));
    }
  }

  #addRow(row: Row): void {
    const nameless = this.#examiner.namelessWithValue(row);
    if (nameless !== undefined && (this.#place.noun === "member" || nameless.name !== ""))
      throw usedNameless(nameless, row.line, this.#place);
    // This must come before its amounts are added to the sums.
    const isTotal = this.#watch.judge(row);
    const isOdd = isTotal ? undefined : this.#odd.suspect(row, () => this.#columns.names);
    const suspicion = isTotal ?? isOdd;
    const isKept = this.#totals.isKept(suspicion);
    if (!this.#watch.isBlank && isTotal === undefined) this.#odd.note(row, this.#watch.phrase);
    // The label of a total is not a value of the date column that it is in.
    if (suspicion === undefined || isKept) this.#columns.look(row);
    const verdict = this.#examiner.examine(row);
    if (suspicion === undefined) {
      if (!this.#watch.isBlank) this.#totals.pass(row.start);
    } else if (verdict !== "skipped" || isOdd !== undefined) {
      const problem = this.#totals.note(row, suspicion);
      if (!isKept) {
        this.#columns.leaveOut(row);
        if (problem === undefined) this.#skipped++;
        else this.#invalid.add(row, [problem]);
        return;
      }
    }
    // A question about it stops the run, and the answer changes the verdict.
    if (nameless !== undefined && this.#columns.isAskedAbout(nameless)) return;
    if (verdict === "record") {
      const { key, given } = this.#examiner;
      this.#fills.add(given, this.#columns.watches.length, this.#options.empty === "send");
      if (key === undefined) {
        this.#creates++;
        if (this.#columns.hasKey) this.#thin.add(given, row.line);
      } else {
        this.#updates++;
        this.#keys.add(key);
        this.#onKey?.(key, row.line, row.start);
      }
    } else if (verdict === "skipped") {
      this.#skipped++;
    } else {
      this.#invalid.add(row, verdict);
      this.#columns.leaveOut(row);
      if (this.#place.noun === "member") this.#nested.add(row);
    }
  }
}
