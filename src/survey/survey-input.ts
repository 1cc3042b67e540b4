import { AmountScan } from "../fields/amount/amount-scan.ts";
import { scanAmountCell } from "../fields/amount/read-amount.ts";
import { createHeaderTest } from "../fields/columns/other-columns.ts";
import { DateScan } from "../fields/date/date-scan.ts";
import { scanDate } from "../fields/date/date.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import type { FoundOdd } from "../fields/odd/odd-rows.ts";
import type { SuspectList } from "../fields/odd/suspects.ts";
import { boundMatching } from "../fields/record/bound-matching.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import type { OnKey } from "../fields/survey/field-settlement.ts";
import { FieldSurvey } from "../fields/survey/field-survey.ts";
import type { RunEvent, SurveyReport } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { hearSignals, throwIfInterrupted } from "../model/interruption.ts";
import type { ColumnFigures } from "../model/marker-columns.ts";
import { type CellSpans, QUOTED, type RowChunk, type RowList } from "../model/rows.ts";
import { quoteText } from "../model/text.ts";
import { inputError } from "../read/input-error.ts";
import { FirstPass, type Inspection, type InspectionSoFar } from "../read/inspect-source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows, rowsOf } from "../read/read-rows.ts";
import type { Source } from "../read/source/source.ts";
import type { InputPart } from "./input-part.ts";
import type { RepeatedKeys } from "./repeated-keys.ts";

/** Number of rows between two progress reports. */
const ROWS_BETWEEN_REPORTS = 20_000;
/** So many cells are surveyed before a signal is heard. */
const CELLS_AT_ONCE = 16_384;

/** One input after its first pass: how it is read, how its cells become records, and what was found. */
export interface SurveyedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly plan: FieldPlan;
  readonly report: SurveyReport;
  /** Figures of the used columns; `undefined` for a shard of a plan. */
  readonly figures?: readonly ColumnFigures[];
  /** Knows which rows are left out because a later row has their key. */
  readonly repeated?: RepeatedKeys;
  /** The part of it that a shard sends; its counts are those of the part. */
  readonly part?: InputPart;
}

/** Callbacks of a survey in progress. */
export interface SurveyListener {
  readonly emit: (event: RunEvent) => void;
  /** Awaited between the chunks. */
  readonly onChunk?: (() => Promise<void>) | undefined;
  readonly onKey?: OnKey | undefined;
  /**
   * Called before all rows are surveyed a second time because their values settled types: the keys are passed again.
   */
  readonly onRestart?: (() => Promise<void>) | undefined;
}

/** The rows of an input, surveyed. */
interface SurveyedRows {
  readonly survey: FieldSurvey;
  readonly remarks: readonly string[];
  readonly last: LastCell;
}

/**
 * Reads one input whole and sends nothing: settles encoding, dialect, columns and formats, and finds every invalid
 * row. Throws {@link RecPushError} of kind `input` or `usage` for problems that concern the whole file.
 */
export async function surveyInput(
  source: Source,
  read: ReadOptions,
  fields: FieldOptions,
  drain: AbortSignal,
  { emit, onChunk, onKey, onRestart }: SurveyListener,
): Promise<SurveyedInput> {
  const watched = watchReading(source, drain, emit);
  let isRestart = false;
  const surveyRows = async (
    inspection: InspectionSoFar,
    chunks: AsyncIterable<RowChunk>,
    options: FieldOptions,
    odd?: FoundOdd,
  ): Promise<SurveyedRows> => {
    if (isRestart) await onRestart?.();
    isRestart = true;
    const survey = new FieldSurvey(inspection.reading, options, onKey, odd);
    const hasPatterns = [...(options.fields?.values() ?? [])].some(({ pattern }) => pattern !== undefined);
    let rows = 0;
    let reported = 0;
    let remarks: readonly string[] = [];
    const last = new LastCell(source.name);
    const mayBeCut = inspection.reading.format === "csv" && read.whole !== true;
    for await (const chunk of chunks) {
      const step = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, chunk.columns.length)));
      let from = 0;
      do {
        const end = Math.min(from + step, chunk.rows.length);
        const add = (): number => survey.addChunk(chunk, from, end);
        from = hasPatterns ? boundMatching(add) : add();
        await hearSignals(drain);
      } while (from < chunk.rows.length);
      if (mayBeCut) last.add(chunk);
      rows += chunk.rows.length;
      remarks = chunk.remarks ?? remarks;
      chunk.rows.release();
      await onChunk?.();
      if (rows - reported >= ROWS_BETWEEN_REPORTS) {
        reported = rows;
        watched.tell(rows);
      }
    }
    return { survey, remarks, last };
  };

  const first = await FirstPass.begin(watched.source, { ...read, isKnownHeader: createHeaderTest(fields) });
  /** The survey of the content that the first pass reads; `undefined` if that comes to nothing. */
  const surveyEarly = async (): Promise<SurveyedRows | undefined> => {
    const early = await first.early();
    if (early === undefined) return undefined;
    watched.beginSurvey();
    try {
      return await surveyRows(early, rowsOf(first.content(), early, read), fields);
    } catch (error) {
      // Only once all is read it is known whether the file was read as what it is.
      if (error instanceof RecPushError && !drain.aborted) return undefined;
      throw error;
    }
  };
  let surveyed: SurveyedRows | undefined;
  const inspectAll = async (): Promise<Inspection> => {
    try {
      surveyed = await surveyEarly();
      await hearSignals(drain);
      const { inspection, isAsEarly } = await first.finish();
      if (!isAsEarly) surveyed = undefined;
      return inspection;
    } finally {
      await first.close();
    }
  };
  const inspection = await inspectAll();
  watched.beginSurvey(inspection.proof.totalBytes);
  const surveyAgain = (options: FieldOptions, odd?: FoundOdd): Promise<SurveyedRows> => {
    // What an earlier survey knows of each column must not lie in memory beside the next one.
    surveyed = undefined;
    return surveyRows(inspection, readRows(watched.source, inspection, read), options, odd);
  };
  surveyed ??= await surveyAgain(fields);
  const odd = surveyed.survey.oddRows();
  if (odd.size > 0) surveyed = await surveyAgain(fields, odd);
  const otherTypes = surveyed.survey.otherTypes();
  await hearSignals(drain);
  if (otherTypes.size > 0) surveyed = await surveyAgain({ ...fields, otherTypes }, odd);
  const { plan, figures, ...found } = surveyed.survey.finish();
  await hearSignals(drain);
  const cut = surveyed.last.fault(plan.suspects);
  if (cut !== undefined) throw cut;
  const { reading } = inspection;
  return {
    source,
    inspection,
    plan,
    figures,
    report: {
      reading,
      ...found,
      notices: [
        ...reading.notices,
        ...surveyed.remarks.map((text) => ({ text, isAlwaysShown: true as const })),
        ...found.notices,
      ],
      pins: [...reading.pins, ...found.pins],
    },
  };
}

/** Bytes of content between two events; a fast disk delivers them in a few hundredths of a second. */
const BYTES_BETWEEN_EVENTS = 16 * 1024 * 1024;

/** How far a source has been read, reported as events while it is read. */
interface WatchedReading {
  /** The same source, which reports how far it is read; reading throws once the signal is set. */
  readonly source: Source;
  /** Begins the survey of its rows; `totalBytes` is the size of its content, if that is known. */
  readonly beginSurvey: (totalBytes?: number) => void;
  /** Reports that this many rows are surveyed. */
  readonly tell: (rows: number) => void;
}

/** Watches the passes over a source before anything is sent. */
function watchReading(source: Source, drain: AbortSignal, emit: (event: RunEvent) => void): WatchedReading {
  const { name: file } = source;
  let totalBytes = source.isPacked === true ? undefined : source.bytes;
  let isSurvey = false;
  let seen = 0;
  let rows = 0;
  const tell = (): void => {
    const share = totalBytes === undefined ? undefined : Math.min(1, seen / totalBytes);
    emit({ kind: "surveying", file, rows, isSurvey, share });
  };
  return {
    source: {
      ...source,
      async *open() {
        seen = 0;
        let told = 0;
        for await (const bytes of source.open()) {
          throwIfInterrupted(drain);
          seen += bytes.length;
          if (seen - told >= BYTES_BETWEEN_EVENTS) {
            told = seen;
            tell();
          }
          yield bytes;
        }
      },
    },
    beginSurvey(contentBytes) {
      isSurvey = true;
      totalBytes = contentBytes ?? totalBytes;
    },
    tell(surveyed) {
      rows = surveyed;
      tell();
    },
  };
}

/** Cells of the last column that are kept: of the first rows each, then some of each chunk. */
const FIRST_CELLS = 1000;
const CELLS_A_CHUNK = 16;
const MOST_CELLS = 4096;
/** With fewer other cells, an empty last one shows nothing, or a shorter one among codes that are no digits, or any. */
const MANY_CELLS = 20;
const SOME_CELLS = 3;
const LEAST_CELLS = 2;
/** The shortest code that may be cut, and the most values that a column may repeat. */
const LEAST_CODE = 4;
const MOST_VALUES = 8;

/** The last cell of a row. */
interface EndCell {
  readonly text: string;
  /** True if no line end follows, nor a quote. */
  readonly isOpen: boolean;
  readonly line: number;
  readonly start: number;
}

/**
 * Finds a CSV that was cut inside its last cell, such as `12` in a column of `1250,00`: it ends without a line end, and its last
 * cell is unlike its column. A cut before the last cell makes the row too short. Many programs write no line end at the
 * end, so that alone shows nothing.
 */
class LastCell {
  readonly #file: string;
  readonly #others: string[] = [];
  #last: EndCell | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes the next rows. */
  add({ rows, unreadable }: RowChunk): void {
    const { length } = rows;
    if (length === 0) {
      if (unreadable.length > 0) this.#last = undefined;
      return;
    }
    const wanted = Math.max(FIRST_CELLS - this.#others.length, CELLS_A_CHUNK);
    const step = Math.max(1, Math.floor(length / wanted));
    for (let at = 0; at < length - 1 && this.#others.length < MOST_CELLS; at += step) this.#keep(rows, at);
    // The last row of the chunk before was not the last one of the file.
    if (this.#last !== undefined) this.#others.push(this.#last.text);
    this.#last = endCell(rows, length - 1);
    if ((unreadable.at(-1)?.start ?? -1) > rows.start(length - 1)) this.#last = undefined;
  }

  /** The question about a last cell that looks cut; `suspects`: rows that are asked about, or left out. */
  fault(suspects: SuspectList | undefined): RecPushError | undefined {
    if (this.#last?.isOpen !== true) return undefined;
    const { text, line, start } = this.#last;
    for (const suspect of suspects?.rows() ?? []) if (suspect.start === start) return undefined;
    const why = whyCut(text.trim(), this.#others);
    if (why === undefined) return undefined;
    const what = `the file may have been cut: it ends without a line end, and its last cell ${quoteText(text)} ${why}`;
    const hint = "export the file again, or --whole if it is complete";
    return inputError({ file: this.#file, line }, "cut-file", what, { hint });
  }

  #keep(rows: RowList, at: number): void {
    const spans = rows.spans(at);
    const width = rows.width(at);
    if (spans !== undefined && width > 0) this.#others.push(spans.text(rows.firstCell(at) + width - 1));
  }
}

function endCell(rows: RowList, at: number): EndCell | undefined {
  const spans = rows.spans(at);
  const width = rows.width(at);
  if (spans === undefined || width === 0) return undefined;
  const first = rows.firstCell(at);
  const last = first + width - 1;
  const bytes = rows.end(at) - rows.start(at);
  const isOpen = (spans.marks[last]! & QUOTED) === 0 && !hasLineEnd(spans, first, last, bytes);
  return { text: spans.text(last), isOpen, line: rows.line(at), start: rows.start(at) };
}

function hasLineEnd(spans: CellSpans, first: number, last: number, bytes: number): boolean {
  const opening = (spans.marks[first]! & QUOTED) === 0 ? 0 : 1;
  return bytes > spans.ends[last]! - spans.starts[first]! + opening;
}

/** Why the last cell of a column looks cut; `undefined` if it does not. */
export function whyCut(last: string, column: readonly string[]): string | undefined {
  const others = column.map((text) => text.trim()).filter((text) => text !== "");
  if (others.length < LEAST_CELLS) return undefined;
  if (last === "")
    return others.length === column.length && others.length >= MANY_CELLS
      ? "is empty, where all others are filled"
      : undefined;
  if (others.every(isNumber)) {
    const least = Math.min(...others.map(countDecimals));
    if (least > 0 && countDecimals(last) < least) return "has fewer decimals than any other of its column";
  }
  if (others.every(isDate)) {
    const least = Math.min(...others.map(countLastDigits));
    if (!isDate(last)) return "is no date, as all others of its column are";
    if (countLastDigits(last) < least) return "has a shorter year than any other of its column";
  }
  return whyShort(last, others);
}

function whyShort(last: string, others: readonly string[]): string | undefined {
  const { length } = others[0]!;
  const areDigits = others.every((text) => /^\d+$/.test(text));
  const areCodes =
    length >= LEAST_CODE &&
    (areDigits || others.length >= SOME_CELLS) &&
    others.every((text) => text.length === length && /\d/.test(text) && countDecimals(text) === 0);
  if (areCodes && last.length < length) return "is shorter than all others of its column";
  const values = new Set(others);
  const areRepeated = values.size <= MOST_VALUES && others.length >= 2 * values.size;
  if (!areRepeated || values.has(last)) return undefined;
  const whole = [...values].find((text) => text.startsWith(last));
  return whole === undefined
    ? undefined
    : `is the beginning of ${quoteText(whole)}, which its column repeats`;
}

function isNumber(text: string): boolean {
  return scanAmountCell(text, new AmountScan()) === undefined;
}

function isDate(text: string): boolean {
  return scanDate(text, new DateScan()) === undefined;
}

function countDecimals(text: string): number {
  return /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
}

function countLastDigits(text: string): number {
  return /\d*$/.exec(text)![0].length;
}
