import { type Cell, JsonNumber, type RowList } from "../../model/problem-groups.ts";
import { BulkTrials } from "../../wasm/bulk-trials.ts";
import {
  DATES_BYTES,
  DONE,
  INT_BYTES,
  KINDS,
  MOST_DATES,
  NEW_DATE,
  RowsInstance,
} from "../../wasm/rows-instance.ts";
import type { AmountSum } from "../amount/amount-sum.ts";
import type { PlannedColumn } from "../columns/column-faults.ts";
import { dateFormOf } from "../date/seen-dates.ts";
import type { NullWords } from "../null-words.ts";
import type { RowRules } from "../record/examine-row.ts";
import type { ExaminedField } from "../record/examined-field.ts";
import type { ColumnWatch } from "../survey/column-watch.ts";
import { type FillTally, HASHED_NUMBERS, type HashedKeys } from "../survey/key-tally.ts";
import type { BulkCells } from "../survey/plain-cells.ts";
import { BulkRows, bytesOf, mayBePlain } from "./bulk-writer.ts";

/** The columns of a survey. */
export interface SurveyedFields {
  readonly planned: readonly PlannedColumn[];
  /** The columns in use, and their watches. */
  readonly fields: readonly ExaminedField[];
  readonly watches: readonly ColumnWatch[];
  readonly rules: RowRules;
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

/** Plain rows that were gone through, each of which gives a record. */
export interface PassedRows {
  /** The rows' numbers: the first, and the one after the last. */
  readonly from: number;
  readonly end: number;
  readonly keys: HashedKeys;
  /** The number of the row that has one of the keys. */
  readonly rowOf: (key: number) => number;
}

/** So many amounts of fifteen digits add up to less than 2 to the power of 63. */
const MOST_ROWS = 4096;
const ASCII = 128;
const NO_COLUMN = -1;

/**
 * Surveys many rows at once, by WebAssembly: those of which one look at each byte shows that they give a record. It tells the
 * watches what `RowExaminer` would, which tests prove, and leaves all other rows to it.
 */
export class BulkSurvey {
  readonly #trials = new BulkTrials();
  readonly #instance: RowsInstance;
  readonly #rows: BulkRows;
  readonly #fields: readonly ExaminedField[];
  readonly #columns: BulkColumns;
  readonly #fills: FillTally;
  readonly #keys: number;

  private constructor(instance: RowsInstance, columns: SurveyedFields, fills: FillTally) {
    this.#instance = instance;
    const { planned, fields, watches, rules, nullsAt } = columns;
    this.#fields = fields;
    this.#fills = fills;
    const placed = new Map<NullWords, number>();
    const placeNulls = (nulls: NullWords | undefined): number => {
      if (nulls === undefined || nulls.isEmpty) return 0;
      const at = placed.get(nulls) ?? instance.place(nulls.firstBytes);
      placed.set(nulls, at);
      return at;
    };
    this.#columns = new BulkColumns(instance, fields, watches, placeNulls);
    const nameless = rules.nameless.map(({ index }) => index);
    const known = new Set([...nameless, ...fields.map(({ index }) => index)]);
    const others = planned.filter(({ index }) => !known.has(index));
    // No text, and no blank cell, needs a closer look.
    const none = instance.allocate(Math.max(ASCII * ASCII, planned.length));
    this.#keys = instance.allocate(MOST_ROWS * HASHED_NUMBERS * INT_BYTES);
    instance.exports.setColumns(
      this.#columns.at,
      fields.length,
      instance.place(bytesOf(others.flatMap(({ index }) => [index, placeNulls(nullsAt[index])]))),
      others.length,
      instance.place(bytesOf(nameless)),
      nameless.length,
      rules.hasExtras ? 1 : 0,
      none,
      none,
      none,
      this.#keys,
    );
    this.#rows = new BulkRows(instance, planned.length);
  }

  /** `undefined` for columns or rules that need a closer look at every row, and where there is no WebAssembly. */
  static open(columns: SurveyedFields, fills: FillTally): BulkSurvey | undefined {
    const instance = canSurvey(columns) ? RowsInstance.open() : undefined;
    return instance && new BulkSurvey(instance, columns, fills);
  }

  /** To be called before other rows. */
  reset(): void {
    this.#rows.clear();
  }

  /**
   * Surveys the plain rows from `from` on, and hands them to `take`, whose argument lasts until it returns; returns the first
   * row that needs a closer look, or the number of rows.
   */
  survey(rows: RowList, from: number, take: (passed: PassedRows) => void): number {
    if (!this.#trials.isDue()) return from;
    const loaded = this.#rows;
    const spans = rows.spans(from);
    if (!loaded.has(from, spans)) loaded.load(rows, from);
    if (loaded.spans === undefined) return from;
    const { exports } = this.#instance;
    this.#columns.tell();
    const first = loaded.from;
    let at = from;
    while (at < loaded.end) {
      const most = Math.min(loaded.end, at + MOST_ROWS);
      const end = first + exports.surveyRows(at - first, most - first, NO_COLUMN);
      if (end > at) this.#collect(rows, at, end, take);
      at = end;
      const { value: reason } = exports.reason;
      if (reason !== DONE && !(reason === NEW_DATE && this.#learn())) break;
    }
    this.#trials.note(at - from);
    return at;
  }

  #collect(rows: RowList, from: number, end: number, take: (passed: PassedRows) => void): void {
    const { exports, bytes } = this.#instance;
    this.#columns.collect(this.#fills);
    const count = exports.keyCount.value;
    const numbers = new Uint32Array(bytes.buffer, this.#keys, count * HASHED_NUMBERS);
    const keyColumn = this.#fields.find(({ kind }) => kind === "key")?.index ?? 0;
    const { from: first, spans } = this.#rows;
    const rowOf = (at: number): number => first + numbers[at * HASHED_NUMBERS + 2]!;
    const text = (at: number): string => spans!.text(rows.firstCell(rowOf(at)) + keyColumn);
    const areRising = exports.areRising.value === 1;
    take({ from, end, keys: { count, areRising, numbers, text }, rowOf });
  }

  /** Learns the date at which the survey stopped; false if the row needs a closer look. */
  #learn(): boolean {
    const { dateField, dateCell } = this.#instance.exports;
    const { spans, at } = this.#rows;
    const start = spans!.starts[dateCell.value]!;
    const end = spans!.ends[dateCell.value]!;
    return this.#columns.learn(dateField.value, spans!.bytes, start, end, at + start);
  }
}

function canSurvey({ fields, watches, rules }: SurveyedFields): boolean {
  const kinds = watches.map(({ bulk }) => bulk?.kind);
  const isOwn = kinds.includes("key") || (kinds.includes("date") && kinds.includes("digits"));
  return isOwn && !kinds.includes(undefined) && mayBePlain(fields, rules, kinds);
}

/** As in `assembly/survey-fields.ts`. */
const FIELD_BYTES = 48;
const SAMPLES_AT = 20;
const FILLED_AT = 28;
const WAY_AT = 44;
const WIDTHS = 65;
const FORMS_BYTES = 16;
const DECIMALS = 16;
const AMOUNT_BYTES = FORMS_BYTES + DECIMALS * 16;
const SAMPLES_BYTES = 1024;

/** The columns in use in the memory of an instance, with what their plain cells tell. */
export class BulkColumns {
  /** Where the table of fields is. */
  readonly at: number;
  readonly #instance: RowsInstance;
  readonly #watches: readonly ColumnWatch[];
  readonly #states: readonly number[];
  readonly #samples: readonly number[];
  /** By column: how many samples the instance knows. */
  readonly #known: number[];
  /** By column: how many dates are known. */
  readonly #dates: number[];

  constructor(
    instance: RowsInstance,
    fields: readonly ExaminedField[],
    watches: readonly ColumnWatch[],
    placeNulls: (nulls: NullWords) => number,
  ) {
    this.#instance = instance;
    this.#watches = watches;
    this.#states = watches.map(({ bulk }) => instance.allocate(stateBytes(bulk!)));
    this.#samples = watches.map(() => instance.allocate(SAMPLES_BYTES));
    this.#known = watches.map(() => -1);
    this.#dates = watches.map(() => 0);
    const table = fields.flatMap(({ index, isRequired, fallback, nulls }, slot) => {
      const bulk = watches[slot]!.bulk!;
      const scale = bulk.kind === "amount" ? (bulk.evidence.scale ?? -1) : -1;
      const isAwaited = isRequired && fallback === undefined ? 1 : 0;
      const given = [KINDS[bulk.kind], index, isAwaited, scale, placeNulls(nulls), 0, this.#states[slot]!];
      return [...given, ...Array.from({ length: FIELD_BYTES / INT_BYTES - given.length }, () => 0)];
    });
    this.at = instance.place(bytesOf(table));
  }

  /** Tells the instance what other rows may have changed. */
  tell(): void {
    const { bytes } = this.#instance;
    for (const [slot, { bulk, isSampled, samples }] of this.#watches.entries()) {
      const field = this.at + slot * FIELD_BYTES;
      if (samples.length !== this.#known[slot]) {
        this.#known[slot] = samples.length;
        const isEnough = isSampled();
        if (!isEnough) bytes.set(samplesOf(samples), this.#samples[slot]);
        bytes.writeInt32LE(isEnough ? 0 : this.#samples[slot]!, field + SAMPLES_AT);
      }
      const state = this.#states[slot]!;
      if (bulk!.kind === "amount") bytes.set(bulk!.known, state);
      if (bulk!.kind !== "text") continue;
      bytes.writeInt32LE(bulk!.way(), field + WAY_AT);
    }
  }

  /** Moves what the cells told to the watches. */
  collect(fills: FillTally): void {
    const { bytes } = this.#instance;
    for (const [slot, { bulk }] of this.#watches.entries()) {
      fills.addAll(slot, bytes.readInt32LE(this.at + slot * FIELD_BYTES + FILLED_AT));
      const state = this.#states[slot]!;
      if (bulk!.kind === "digits") collectWidths(bulk!, bytes, state);
      else if (bulk!.kind === "amount") collectSums(bulk!.evidence.sum, bytes, state + FORMS_BYTES);
    }
  }

  /**
   * Tells the instance the date of a cell whose bytes are at `start` in `source`, and at `at` in its memory, if an earlier
   * row had it too; otherwise it is false, and the row needs a closer look.
   */
  learn(slot: number, source: Buffer, start: number, end: number, at: number): boolean {
    const bulk = this.#watches[slot]!.bulk!;
    if (bulk.kind !== "date" || this.#dates[slot]! >= MOST_DATES) return false;
    const form = dateFormOf(source, start, end);
    const code = bulk.seen.codeOf(source, start, form);
    if (code < 0 || !bulk.seen.has(code, form)) return false;
    this.#dates[slot]! += 1;
    // Its value is not known yet, and nobody reads it.
    this.#instance.exports.addDate(this.#states[slot]!, at, at, form);
    return true;
  }
}

function stateBytes({ kind }: BulkCells): number {
  if (kind === "date") return DATES_BYTES;
  if (kind === "amount" || kind === "text") return AMOUNT_BYTES;
  return kind === "digits" ? 2 * WIDTHS * INT_BYTES : 0;
}

function collectWidths({ widths }: Extract<BulkCells, { kind: "digits" }>, bytes: Buffer, at: number): void {
  for (let width = 1; width < WIDTHS; width++) {
    const count = bytes.readInt32LE(at + width * INT_BYTES);
    if (count > 0) widths.addAll(width, count, bytes.readInt32LE(at + (WIDTHS + width) * INT_BYTES));
  }
  bytes.fill(0, at, at + WIDTHS * INT_BYTES);
}

function collectSums(sum: AmountSum, bytes: Buffer, at: number): void {
  for (let decimals = 0; decimals < DECIMALS; decimals++) {
    const countAt = at + DECIMALS * 8 + decimals * INT_BYTES;
    if (bytes.readInt32LE(countAt) === 0) continue;
    const nonZero = bytes.readInt32LE(countAt + DECIMALS * INT_BYTES);
    sum.addAll(bytes.readBigInt64LE(at + decimals * 8), decimals, nonZero);
  }
  bytes.fill(0, at, at + AMOUNT_BYTES - FORMS_BYTES);
}

/** The texts, numbers and truth values among some samples as bytes: how many, and the length and bytes of each. */
function samplesOf(samples: readonly Cell[]): Uint8Array {
  const texts = samples
    .flatMap((sample) => sampleText(sample) ?? [])
    .map((text) => Buffer.from(text))
    .filter(({ length }) => length < SAMPLES_BYTES / 4);
  const parts = texts.flatMap((text) => [bytesOf([text.length]), text]);
  return Buffer.concat([bytesOf([texts.length]), ...parts]);
}

function sampleText(sample: Cell): string | undefined {
  if (sample instanceof JsonNumber) return sample.source;
  return typeof sample === "string" || typeof sample === "boolean" ? String(sample) : undefined;
}
