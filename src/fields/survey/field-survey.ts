import type { PlainSurvey } from "../../kernel/evidence.ts";
import { CLOSER_LOOK, CREATE } from "../../kernel/plain-rows.ts";
import { RecPushError } from "../../model/failure.ts";
import { type ColumnFigures, isMarkerColumn, REJECTED_VALUE } from "../../model/marker-columns.ts";
import { isTabular, type Notice, type ReadingSoFar } from "../../model/reading.ts";
import type { Row, RowChunk, RowList, RowProblem } from "../../model/rows.ts";
import { quoteText, referToSheets } from "../../model/text.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { type ColumnsPlace, type PlannedColumn, showColumn } from "../columns/column-faults.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import type { FieldOptions } from "../field-options.ts";
import { listSome } from "../list-some.ts";
import { type FoundOdd, OddRows } from "../odd/odd-rows.ts";
import { SurveyedOdd } from "../odd/suspects.ts";
import type { RowExaminer } from "../record/examine-row.ts";
import { buildPlan, type ConstantValues, type PlanParts, readConstants } from "../record/field-plan.ts";
import type { FieldType } from "../type-text.ts";
import type { ColumnWatch } from "./column-watch.ts";
import type { FieldSettlement, OnKey } from "./field-settlement.ts";
import { inferredPins, reportColumn, settleAll, type SettledColumn } from "./inferred-pins.ts";
import { InvalidRows } from "./invalid-rows.ts";
import { FillTally, KeyTally } from "./key-tally.ts";
import { SurveyedColumns } from "./surveyed-columns.ts";

/** How many rows an input has, how many of them have nothing to send, and how many of these an option leaves out. */
interface Counted {
  readonly rows: number;
  readonly skipped: number;
  readonly leftOut: number;
}

/** Throws if an input may be no export, because no row has anything to send, or its only line may be a message. */
function refuseNothingSent(
  { rows, skipped, leftOut }: Counted,
  columns: readonly PlannedColumn[],
  { otherColumns }: FieldOptions,
  place: ColumnsPlace,
): void {
  if (rows === 0 && columns.length > 0) refuseMessage(columns, otherColumns, place);
  if (rows === 0 || skipped < rows) return;
  if (columns.length > 0) refuseNoField(columns, place);
  // A file of nothing but a total, which is left out each night, is an ordinary one.
  if (leftOut > 0) return;
  const text = `${place.file}: no row has anything to send: ${rows === 1 ? "its only row is" : `all ${rows} rows are`} blank, or nothing but a key`;
  throw new RecPushError("input", "no-field", text, {
    place: { file: place.file },
    hint: "look at the file, and export it again",
  });
}

/** In a file without rows a declared column is needed; if all columns are sent, several make a header too. */
function refuseMessage(
  columns: readonly PlannedColumn[],
  otherColumns: FieldOptions["otherColumns"],
  { file, noun }: ColumnsPlace,
): void {
  const isDeclared = columns.some(({ use, isOther }) => use === "field" && !isOther);
  const isSent = otherColumns === "send" && columns.length > 1;
  if (isDeclared || isSent || noun === "member") return;
  const names = listSome(columns.map(({ header }) => quoteText(header)));
  const text = `${file}: it has no rows, and no declared column: ${names} may be a message instead of a header`;
  throw new RecPushError("input", "no-field", text, {
    place: { file },
    hint: "look at the file, and export it again; --map COLUMN=field declares a column",
  });
}

/** No column except the key goes to a field. */
function refuseNoField(columns: readonly PlannedColumn[], place: ColumnsPlace): void {
  if (columns.some(({ use, field }) => use === "field" && field !== KEY_FIELD)) return;
  const { file, noun } = place;
  const unused = columns.filter(
    ({ use, name }) => (use === "dropped" || use === "undecided") && !isMarkerColumn(name),
  );
  const names = listSome(unused.map((column) => showColumn(column, place)));
  const text = unused.length === 0 ? `there is no other ${noun}` : `left out: ${names}`;
  throw new RecPushError("input", "no-field", `${file}: no row has anything to send: ${text}`, {
    place: { file },
    hint: `--map COLUMN=field names the ${noun}s to send, --other-columns send sends all`,
  });
}

/** How often a CSV repeats its header, and where first. */
class RepeatedHeaders {
  #count = 0;
  #first: number | undefined;

  /** The lines of some, in file order. */
  add(lines: readonly number[]): void {
    this.#count += lines.length;
    this.#first ??= lines[0];
  }

  get notices(): Notice[] {
    if (this.#first === undefined) return [];
    const others = this.#count === 1 ? "" : ` and ${this.#count - 1} times more`;
    return [{ text: `the header is repeated in line ${this.#first}${others}: passed over` }];
  }
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
  readonly #invalid: InvalidRows;
  readonly #onKey: OnKey | undefined;
  readonly #odd: OddRows;
  readonly #suspects: SurveyedOdd;
  readonly #headers = new RepeatedHeaders();
  readonly #isCareful: boolean;
  /** Surveys plain rows; `undefined` if each row needs a closer look. */
  #plain: PlainSurvey | undefined;
  readonly #fills = new FillTally();
  #rows = 0;
  #updates = 0;
  #creates = 0;
  #skipped = 0;

  /** `odd`: what an earlier survey of the rows found; `isCareful`: true if each row is examined, plain or not. */
  constructor(
    reading: ReadingSoFar,
    options: FieldOptions,
    onKey?: OnKey,
    odd?: FoundOdd,
    isCareful = false,
  ) {
    this.#isCareful = isCareful;
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
    this.#odd = new OddRows(this.#columns.watched(), this.#place.file, options, odd);
    this.#suspects = new SurveyedOdd(options, isTabular(reading.format));
    this.#plain = this.#openPlain();
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
      if (this.#plain !== undefined) at = this.#passPlain(this.#plain, rows, at);
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
    const { planned, watches } = this.#columns;
    const settled = settleAll(this.#columns, this.#options, this.#constants, this.#place, this.#invalid);
    const used = new Map(settled.map((column) => [column.watch.column.index, column]));
    const plan = buildPlan(this.#partsOf(settled), this.#constants);
    const suspects = this.#suspects.finish();
    const reword = (problem: RowProblem): RowProblem => this.#suspects.reword(problem, this.#rows);
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
      problems: this.#invalid.problems.map(reword),
      groups: this.#invalid.groups(reword),
      columns: planned.map((column) => reportColumn(column, used.get(column.index), this.#options)),
      notices: [
        ...this.#headers.notices,
        ...(this.#rows > 0 ? lackingColumns(planned, this.#options) : []),
        ...this.#suspects.notices,
        ...columnNotices(watches, this.#place),
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
    this.#headers.add(headers);
    for (const row of unreadable) this.#invalid.addUnreadable(row);
  }

  #endChunk({ rows, unreadable }: RowChunk): void {
    this.#rows += rows.length + unreadable.length;
    if (unreadable.length > 0) this.#suspects.pass(unreadable.at(-1)!.start);
    this.#invalid.endChunk();
  }

  #partsOf(settled: readonly SettledColumn[]): PlanParts {
    const specs = settled.map(({ spec }) => spec);
    const { file, noun } = this.#place;
    return { file, noun, columns: [...this.#columns.planned], specs, options: this.#options };
  }

  #openPlain(): PlainSurvey | undefined {
    return this.#isCareful || this.#odd.areKnown ? undefined : this.#columns.plainSurvey(this.#odd.factsOf);
  }

  /** Surveys the plain rows from `from` on; returns the first that needs a closer look. */
  #passPlain(plain: PlainSurvey, rows: RowList, from: number): number {
    let at = from;
    for (; at < rows.length; at++) {
      const spans = rows.spans(at);
      if (spans === undefined) break;
      const firstCell = rows.firstCell(at);
      const kind = plain.look(spans, firstCell, rows.width(at));
      if (kind === CLOSER_LOOK) break;
      const { keyCell } = plain;
      this.#odd.note(rows.row(at), plain);
      const line = rows.line(at);
      plain.take(spans, firstCell, line);
      if (kind === CREATE) {
        this.#creates++;
      } else {
        this.#updates++;
        this.#keys.addBytes(spans.bytes, spans.starts[keyCell]!, spans.ends[keyCell]!);
        this.#onKey?.(spans.text(keyCell), line, rows.start(at));
      }
    }
    if (at === from) return at;
    this.#columns.lookAll(rows, from, at);
    for (const [slot, count] of plain.filled.entries()) this.#fills.addAll(slot, count);
    plain.filled.fill(0);
    plain.flush();
    return at;
  }

  #addRow(row: Row): void {
    const nameless = this.#examiner.namelessWithValue(row);
    if (nameless !== undefined && (this.#place.noun === "member" || nameless.name !== ""))
      throw usedNameless(nameless, row.line, this.#place);
    const suspicion = this.#odd.suspect(row, () => this.#columns.names);
    const isKept = this.#suspects.isKept(suspicion);
    // The label of a total is not a value of the date column that it is in.
    if (suspicion === undefined || isKept) this.#columns.look(row);
    const verdict = this.#examiner.examine(row);
    if (suspicion === undefined) {
      if (!this.#odd.isBlank) this.#suspects.pass(row.start);
    } else if (verdict !== "skipped" || suspicion.kind === "nested") {
      const problem = this.#suspects.note(row, suspicion);
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
      this.#plain?.learn(row);
      this.#fills.add(given, this.#options.empty === "send");
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
      this.#invalid.add(row, verdict);
      this.#columns.leaveOut(row);
    }
  }
}

/** The figures of all used columns, in column order. */
function columnFigures(settled: readonly SettledColumn[], fills: FillTally): readonly ColumnFigures[] {
  return settled.map(({ watch, spec }, slot) => {
    const about = { field: watch.column.field!, kind: watch.type.kind, filled: fills.count(slot) };
    const evidence = watch.typed?.evidence;
    if (evidence instanceof AmountEvidence && spec.kind === "amount")
      return { ...about, sum: evidence.recordSum(spec.marks) };
    return about;
  });
}

/** Where the columns of an input are, for messages about them. */
function columnsPlace(reading: ReadingSoFar): ColumnsPlace {
  const { file, format, dialect, headerless, jsonPath, sheet, otherSheets } = reading;
  return {
    file,
    headerLine: dialect?.headerLine,
    isHeaderless: headerless,
    isSheet: format === "xlsx",
    noun: isTabular(format) ? "column" : "member",
    isInAnswer: jsonPath !== undefined,
    isOneALine: format === "ndjson",
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

/** What people should know about the values of the columns that are sent. */
function columnNotices(watches: readonly ColumnWatch[], place: ColumnsPlace): Notice[] {
  return [...watches.flatMap(typeNotice), ...watches.flatMap((watch) => damageNotice(watch, place))];
}

function damageNotice({ column, damage }: ColumnWatch, place: ColumnsPlace): Notice[] {
  const lead = `${place.noun} ${quoteText(column.header)}`;
  return damage().map((note) => Object.assign({}, note, { text: `${lead}: ${note.text}` }));
}

function typeNotice({ column, looksLike }: ColumnWatch): Notice[] {
  const kind = looksLike();
  if (kind === undefined) return [];
  const option = `--type ${column.field}=${kind}`;
  return [
    {
      text: `all values of ${column.field} read as ${kind}s and are sent as text, unchanged: ${option} converts them, --type ${column.field}=text! says that they are meant so`,
      isAlwaysShown: true,
    },
  ];
}

/** A column without a name that holds values. */
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
      // A member has no position.
      hint:
        place.noun === "member"
          ? "give the member a name in the file, or delete it"
          : `--map ${position}=column_${position} sends it under that name, --drop ${position} leaves it out`,
    },
  );
}

function notWrittenOut(line: number, { file }: ColumnsPlace): RecPushError {
  const message = `${file}:${line}: ${REJECTED_VALUE} holds an element that was not a row when it was rejected`;
  return new RecPushError("input", "rejected-value", message, {
    place: { file, line },
    hint: `write it out as members of the record and delete ${REJECTED_VALUE}, or delete the record`,
  });
}
