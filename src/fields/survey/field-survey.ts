import type { PlainSurvey } from "../../kernel/evidence.ts";
import { CLOSER_LOOK, CREATE } from "../../kernel/plain-rows.ts";
import type { ColumnFigures, ColumnReport, SurveyCounts, SurveyReport } from "../../model/counts.ts";
import { RecPushError } from "../../model/failure.ts";
import { isTabular, type Notice, type Pin, type Reading } from "../../model/reading.ts";
import {
  type ProblemGroup,
  ProblemGroups,
  type Row,
  type RowChunk,
  type RowList,
  type RowProblem,
} from "../../model/rows.ts";
import { quoteText, referToSheets } from "../../model/text.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { COMMA } from "../amount/amount.ts";
import { type ColumnsPlace, listSome, type PlannedColumn } from "../columns/column-faults.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import type { FieldOptions } from "../field-options.ts";
import { type FoundOdd, OddRows } from "../odd/odd-rows.ts";
import { SurveyedOdd } from "../odd/suspects.ts";
import {
  buildPlan,
  type ConstantValues,
  type ExaminedField,
  type FieldPlan,
  readConstants,
  type RowExaminer,
} from "../record/field-plan.ts";
import { showCell } from "../spreadsheet-text.ts";
import { type FieldType, isDateFormat, spellType } from "../type-text.ts";
import { KeyTally } from "./key-tally.ts";
import { type SettledColumn, SurveyedColumns } from "./surveyed-columns.ts";

/** So many rows are examined one by one, as samples of the columns. */
const FIRST_ROWS = 8;

/** Result of the survey of columns and values, with the plan for building the records. */
export interface FieldSettlement extends Omit<SurveyReport, "reading" | "counts"> {
  readonly counts: SurveyCounts;
  readonly plan: FieldPlan;
  readonly figures: readonly ColumnFigures[];
}

/** Receives every update in file order: its key and its line. */
export interface KeyListener {
  readonly add: (key: string, line: number) => void;
}

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
  readonly #invalid = new InvalidRows();
  readonly #listener: KeyListener | undefined;
  readonly #odd: OddRows;
  readonly #suspects: SurveyedOdd;
  /** How often a CSV repeats its header, and where first. */
  #headers = 0;
  #firstHeader: number | undefined;
  readonly #isCareful: boolean;
  /** Surveys plain rows; `undefined` if each row needs a closer look. */
  #plain: PlainSurvey | undefined;
  #rows = 0;
  #updates = 0;
  #creates = 0;
  #skipped = 0;

  /** `odd`: the odd rows of an earlier survey; `isCareful`: true if each row is examined, plain or not. */
  constructor(
    reading: Reading,
    options: FieldOptions,
    keys?: KeyListener,
    odd?: FoundOdd,
    isCareful = false,
  ) {
    this.#isCareful = isCareful;
    this.#listener = keys;
    this.#options = options;
    this.#place = columnsPlace(reading);
    this.#constants = readConstants(options);
    this.#columns = new SurveyedColumns(options, this.#constants, this.#place);
    if (isTabular(reading.format)) {
      this.#columns.grow(reading.columns);
    }
    this.#examiner = this.#columns.examiner();
    this.#odd = new OddRows(this.#columns.watched(), this.#place.file, options, odd);
    this.#suspects = new SurveyedOdd(options, isTabular(reading.format));
    this.#plain = this.#openPlain();
  }

  /**
   * Takes the next rows of a chunk, in file order: those from `from` up to `end`, or more where they are plain. Returns the
   * first row that is left, so that a signal is heard while a wide table is surveyed.
   */
  addChunk(chunk: RowChunk, from = 0, end = chunk.rows.length): number {
    const { rows } = chunk;
    if (from === 0) this.#beginChunk(chunk);
    let at = from;
    for (; at < end; at++) {
      this.#columns.areFirst = this.#rows + at < FIRST_ROWS;
      if (this.#plain !== undefined && !this.#columns.areFirst) at = this.#passPlain(this.#plain, rows, at);
      if (at < rows.length) this.#addRow(rows.row(at));
    }
    if (at < rows.length) return at;
    this.#endChunk(chunk);
    return rows.length;
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
    const { planned, used } = this.#columns;
    const settled = this.#settle();
    const slots = new Map(settled.map(({ planned: { index } }, slot) => [index, slot]));
    const { file, noun } = this.#place;
    const specs = settled.map(({ format }) => format.spec);
    const parts = { file, noun, columns: [...planned], specs, options: this.#options };
    const plan = buildPlan(parts);
    const { suspects } = this.#suspects;
    const reword = (problem: RowProblem): RowProblem => this.#suspects.reword(problem, this.#rows);
    const isSent = planned.some(({ use, field }) => use === "field" && field !== KEY_FIELD);
    // A file with nothing but a total, left out each night, is an ordinary file.
    const isOrdinary = isSent && suspects !== undefined;
    if (this.#rows > 0 && this.#skipped === this.#rows && !isOrdinary)
      throw nothingSent(this.#rows, isSent || planned.length === 0, this.#place);
    return {
      plan: { ...plan, suspects },
      figures: settled.map(figuresOf),
      counts: {
        rows: this.#rows,
        updates: this.#updates,
        creates: this.#creates,
        skipped: this.#skipped,
        superseded: 0,
        invalid: this.#invalid.rows,
        repeatedKeys: this.#keys.repeated,
        repeatedKeysBounded: this.#keys.isBounded,
      },
      problems: this.#invalid.problems.map(reword),
      groups: this.#invalid.groups(reword),
      columns: planned.map((column) => {
        const slot = slots.get(column.index) ?? -1;
        return reportColumn(column, settled[slot], plan.fields[slot]);
      }),
      notices: [
        ...this.#headerNotices(),
        ...(this.#rows > 0 ? lackingColumns(planned, this.#options) : []),
        ...this.#suspects.notices,
        ...used.flatMap(
          ({ evidence, planned: { header } }) => evidence.notices?.(`${noun} ${quoteText(header)}`) ?? [],
        ),
      ],
      pins: inferredPins(settled, this.#options),
    };
  }

  #beginChunk({ columns, unreadable, headers = [] }: RowChunk): void {
    if (columns.length > this.#columns.count) {
      this.#columns.grow(columns);
      this.#examiner = this.#columns.examiner();
      this.#odd.grow(this.#columns.watched());
      this.#plain = this.#openPlain();
    }
    this.#headers += headers.length;
    this.#firstHeader ??= headers[0];
    for (const row of unreadable) this.#invalid.add([row]);
  }

  #endChunk({ rows, unreadable }: RowChunk): void {
    this.#rows += rows.length + unreadable.length;
    this.#invalid.endChunk();
  }

  #settle(): SettledColumn[] {
    try {
      return this.#columns.settle();
    } catch (error) {
      if (!(error instanceof RecPushError)) throw error;
      throw error.withProblems(this.#invalid.lasting());
    }
  }

  #headerNotices(): Notice[] {
    if (this.#firstHeader === undefined) return [];
    const others = this.#headers === 1 ? "" : ` and ${this.#headers - 1} times more`;
    return [{ text: `the header is repeated in line ${this.#firstHeader}${others}: passed over` }];
  }

  #openPlain(): PlainSurvey | undefined {
    return this.#isCareful || this.#odd.areKnown ? undefined : this.#columns.plainSurvey();
  }

  /** Surveys the plain rows from `from` on; returns the first that needs a closer look. */
  #passPlain(plain: PlainSurvey, rows: RowList, from: number): number {
    let at = from;
    for (; at < rows.length; at++) {
      const spans = rows.spans(at);
      const firstCell = rows.firstCell(at);
      const kind = plain.look(spans, firstCell, rows.width(at));
      if (kind === CLOSER_LOOK) break;
      const { keyCell } = plain;
      const row = rows.row(at);
      this.#odd.note(row);
      this.#columns.look(row);
      const line = rows.line(at);
      plain.take(spans, firstCell, line);
      if (kind === CREATE) {
        this.#creates++;
      } else {
        this.#updates++;
        this.#keys.addBytes(spans.bytes, spans.starts[keyCell]!, spans.ends[keyCell]!);
        this.#listener?.add(spans.text(keyCell), line);
      }
    }
    if (at === from) return at;
    for (const [slot, count] of plain.filled.entries()) this.#columns.addFilled(slot, count);
    plain.filled.fill(0);
    plain.flush();
    return at;
  }

  #addRow(row: Row): void {
    const suspicion = this.#odd.suspect(row, () => this.#columns.names);
    const isKept = this.#suspects.isKept(suspicion);
    // The label of a total is not a value of the date column that it is in.
    if (suspicion === undefined || isKept) this.#columns.look(row);
    const verdict = this.#examiner.examine(row);
    if (suspicion !== undefined && (verdict !== "skipped" || suspicion.kind === "nested")) {
      const problem = this.#suspects.note(row, suspicion);
      if (!isKept) {
        if (problem === undefined) this.#skipped++;
        else this.#invalid.add([problem]);
        return;
      }
    }
    if (verdict === "record") {
      const { key, given } = this.#examiner;
      this.#plain?.learn(row);
      this.#columns.countRecord(given);
      if (key === undefined) {
        this.#creates++;
      } else {
        this.#updates++;
        this.#keys.add(key);
        this.#listener?.add(key, row.line);
      }
    } else if (verdict === "skipped") {
      this.#skipped++;
    } else {
      this.#invalid.add(verdict);
    }
  }
}

/** An input may be no export if none of its rows has anything to send. `areBlank`: columns go to fields, and their cells are blank. */
function nothingSent(rows: number, areBlank: boolean, { file, noun }: ColumnsPlace): RecPushError {
  const why = areBlank
    ? `${rows === 1 ? "its only row is" : `all ${rows} rows are`} blank, or nothing but a key`
    : `no ${noun} goes to a field, but for the key`;
  return new RecPushError("no-field", `${file}: no row has anything to send: ${why}`, {
    place: { file },
    hint: areBlank
      ? "look at the file, and export it again"
      : `--map COLUMN=field names the ${noun}s to send, --other-columns send sends all`,
  });
}

/** The figures of a used column. */
function figuresOf({ field, type, evidence, format, filled }: SettledColumn): ColumnFigures {
  const about = { field, kind: type.kind, filled };
  const isSummed = evidence instanceof AmountEvidence && format.spec.kind === "amount";
  return isSummed ? { ...about, sum: evidence.recordSum(format.spec.marks) } : about;
}

/** The options that fix what values settled, one a column, so that the next file of this kind is read in the same way. */
function inferredPins(
  settled: readonly SettledColumn[],
  { otherTypes }: Pick<FieldOptions, "otherTypes">,
): Pin[] {
  return settled.flatMap(({ field, type, format: { format, spec, inferred, settledBy } }): Pin[] => {
    const isInferred = inferred === true;
    if (!isInferred && otherTypes?.has(field) !== true) return [];
    const settledType: FieldType =
      type.kind === "date" && isDateFormat(format)
        ? { ...type, format }
        : spec.kind === "amount" && isInferred
          ? { kind: "amount", decimal: spec.marks === COMMA ? "," : "." }
          : type;
    const because = isInferred
      ? `${field} is settled by ${settledBy ?? "its values"}`
      : `most values of ${field} read as ${type.kind}s`;
    return [{ what: "type", option: `--type ${field}=${spellType(settledType)}`, because }];
  });
}

/** Describes for the user how a column is used; a used column has samples, as read and as sent. */
function reportColumn(
  column: PlannedColumn,
  used: SettledColumn | undefined,
  examined: ExaminedField | undefined,
): ColumnReport {
  const samples = (used?.samples ?? []).flatMap((cell) => {
    const after = examined!.take(cell, 0);
    return typeof after === "string" ? [{ before: showCell(cell), after }] : [];
  });
  return {
    column: column.index + 1,
    header: column.header,
    field: used === undefined ? undefined : column.field,
    ...(column.use === "undecided" && { isUndeclared: true }),
    type: used?.type.kind,
    isOther: used !== undefined && column.isOther,
    format: used?.format.format,
    settledBy: used?.format.settledBy,
    samples,
  };
}

/** Where the columns of an input are, for messages about them. */
function columnsPlace(reading: Reading): ColumnsPlace {
  const { file, format, dialect, headerless, jsonPath, sheet, otherSheets } = reading;
  return {
    file,
    headerLine: dialect?.headerLine,
    isHeaderless: headerless,
    isSheet: format === "xlsx",
    noun: isTabular(format) ? "column" : "member",
    isOneALine: format === "ndjson",
    isInAnswer: jsonPath !== undefined,
    aside: sheet === undefined || otherSheets === undefined ? undefined : referToSheets(sheet, otherSheets),
  };
}

/** Reports which fields of the config get nothing because there is no column for them; a required one is a question. */
function lackingColumns(
  planned: readonly PlannedColumn[],
  { map, fields, set, configColumns }: FieldOptions,
): Notice[] {
  if (configColumns === undefined || configColumns.size === 0) return [];
  const filled = new Set(planned.flatMap(({ use, field }) => (use === "field" ? field! : [])));
  const lacking = map.filter(({ column, field }) => configColumns.has(column) && !filled.has(field));
  const open = lacking.filter(
    ({ field }) => field !== KEY_FIELD && !set.has(field) && fields?.get(field)?.default === undefined,
  );
  if (open.length === 0) return [];
  const list = listSome(
    open.map(({ column, field }) => (column === field ? field : `${quoteText(column)} (${field})`)),
  );
  const [columns, them] = open.length === 1 ? ["a column", "it"] : [`${open.length} columns`, "them"];
  const text = `the config expects ${columns} that the file lacks: ${list}; nothing is sent for ${them}`;
  return [{ text, isAlwaysShown: true }];
}

/** If there are more problems than this, the others are counted and not kept. */
export const MAX_KEPT_PROBLEMS = 100;
/** Nor are more than these characters of their values. */
const MOST_KEPT_LENGTH = 4_194_304;

/** The invalid rows of an input under survey. */
class InvalidRows {
  rows = 0;
  /** The first problems, in the order of their lines. */
  readonly problems: RowProblem[] = [];
  readonly #groups = new ProblemGroups();
  #ofChunk: RowProblem[] = [];
  #keptLength = 0;

  /** Takes the problems of a row. */
  add(problems: readonly RowProblem[]): void {
    this.rows++;
    for (const problem of problems) this.#groups.add(problem);
    if (this.#ofChunk.length >= MAX_KEPT_PROBLEMS || this.#keptLength > MOST_KEPT_LENGTH) return;
    this.#ofChunk.push(...problems);
    for (const { value = "" } of problems) this.#keptLength += value.length;
  }

  /** Ends a chunk of rows: those that cannot be read were added before the others. */
  endChunk(): void {
    const { problems } = this;
    if (this.#ofChunk.length === 0) return;
    this.#ofChunk.sort((left, right) => left.line - right.line);
    problems.push(...this.#ofChunk.slice(0, MAX_KEPT_PROBLEMS - problems.length));
    this.#ofChunk = [];
  }

  /** All problems; `reword` may reword one. */
  groups(reword: (problem: RowProblem) => RowProblem): readonly ProblemGroup[] {
    return this.#groups.list(reword);
  }

  /** The problems that no answer to a question about columns removes: those of values, and rows that cannot be read. */
  lasting(): readonly ProblemGroup[] {
    const isOfValue = ({ field, value }: RowProblem): boolean => field !== undefined && value !== undefined;
    return this.#groups.list().filter(({ first }) => isOfValue(first) || "start" in first);
  }
}
