import type { RowList } from "../../model/row.ts";
import { BulkTrials } from "../../wasm/bulk-trials.ts";
import { DONE, INT_BYTES, NEW_DATE, RowsInstance } from "../../wasm/rows-instance.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import type { NullWords } from "../null-words.ts";
import type { RowRules } from "../record/examine-row.ts";
import type { ExaminedField } from "../record/examined-field.ts";
import type { ColumnWatch } from "../survey/column-watch.ts";
import type { FillTally } from "../survey/fill-tally.ts";
import { HASHED_NUMBERS, type HashedKeys } from "../survey/key-tally.ts";
import { mayBeEnding, mayBePhrase } from "../totals/total-phrase.ts";
import type { TotalsWatch } from "../totals/totals-watch.ts";
import { BulkColumns } from "./bulk-columns.ts";
import { BulkRows, bytesOf, mayBePlain } from "./bulk-rows.ts";

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
 * Surveys many rows at once, by WebAssembly: those of which one look at each byte shows that they give a record and are no
 * total. It tells the watches what `RowExaminer` and `TotalsWatch` would, which tests prove, and leaves all other rows to
 * them.
 */
export class BulkSurvey {
  readonly #trials = new BulkTrials();
  readonly #instance: RowsInstance;
  readonly #rows: BulkRows;
  readonly #fields: readonly ExaminedField[];
  readonly #columns: BulkColumns;
  readonly #totals: TotalsWatch;
  readonly #fills: FillTally;
  /** Where it says of each column whether no row so far leaves it blank. */
  readonly #full: number;
  readonly #width: number;
  readonly #keys: number;
  /** Column 0, if its cells may lack digits. */
  readonly #unnumbered: number;

  private constructor(
    instance: RowsInstance,
    columns: SurveyedFields,
    totals: TotalsWatch,
    fills: FillTally,
  ) {
    this.#instance = instance;
    const { planned, fields, watches, rules, nullsAt } = columns;
    this.#fields = fields;
    this.#totals = totals;
    this.#fills = fills;
    const placed = new Map<NullWords, number>();
    const placeNulls = (nulls: NullWords | undefined): number => {
      if (nulls === undefined || nulls.isEmpty) return 0;
      const at = placed.get(nulls) ?? instance.place(nulls.firstBytes);
      placed.set(nulls, at);
      return at;
    };
    this.#columns = new BulkColumns(instance, fields, watches, placeNulls);
    const first = fields.findIndex(({ index }) => index === 0);
    const isCertain = first !== -1 && watches[first]!.bulk!.kind !== "text";
    this.#unnumbered = isCertain ? NO_COLUMN : 0;
    const nameless = rules.nameless.map(({ index }) => index);
    const known = new Set([...nameless, ...fields.map(({ index }) => index)]);
    const others = planned.filter(({ index }) => !known.has(index));
    this.#width = planned.length;
    this.#full = instance.allocate(this.#width);
    this.#keys = instance.allocate(MOST_ROWS * HASHED_NUMBERS * INT_BYTES);
    instance.exports.setColumns(
      this.#columns.at,
      fields.length,
      instance.place(bytesOf(others.flatMap(({ index }) => [index, placeNulls(nullsAt[index])]))),
      others.length,
      instance.place(bytesOf(nameless)),
      nameless.length,
      rules.hasExtras ? 1 : 0,
      instance.place(pairs(mayBePhrase)),
      instance.place(pairs(mayBeEnding)),
      this.#full,
      this.#keys,
    );
    this.#rows = new BulkRows(instance, planned.length);
  }

  /** `undefined` for columns or rules that need a closer look at every row, and where there is no WebAssembly. */
  static open(columns: SurveyedFields, totals: TotalsWatch, fills: FillTally): BulkSurvey | undefined {
    const instance = canSurvey(columns) ? RowsInstance.open() : undefined;
    return instance && new BulkSurvey(instance, columns, totals, fills);
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
    const rowsSoFar = this.#totals.rowsSoFar;
    if (rowsSoFar === undefined || !this.#trials.isDue()) return from;
    const loaded = this.#rows;
    const spans = rows.spans(from);
    if (!loaded.has(from, spans)) {
      const { end } = rowsSoFar;
      const isAfterGap = (at: number): boolean => rows.start(at) !== (at === from ? end : rows.end(at - 1));
      loaded.load(rows, from, spans?.areRowsAdjacent === true ? isAfterGap : undefined);
    }
    if (loaded.spans === undefined) return from;
    const { exports, bytes } = this.#instance;
    this.#columns.tell();
    bytes.fill(0, this.#full, this.#full + this.#width);
    for (const column of rowsSoFar.full) bytes[this.#full + column] = 1;
    const unnumbered = rowsSoFar.areNumbered ? this.#unnumbered : NO_COLUMN;
    const first = loaded.from;
    let at = from;
    while (at < loaded.end) {
      const most = Math.min(loaded.end, at + MOST_ROWS);
      const end = first + exports.surveyRows(at - first, most - first, unnumbered);
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
    const { value: filled } = exports.filledCells;
    this.#totals.rowsSoFar!.noteAll(end - from, filled, exports.leastFilled.value, rows.end(end - 1));
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

/** By two bytes of ASCII: 1 if something may be true for them. */
function pairs(mayBe: (first: number, second: number) => boolean): Uint8Array {
  const table = new Uint8Array(ASCII * ASCII);
  for (let pair = 0; pair < table.length; pair++)
    table[pair] = mayBe(Math.floor(pair / ASCII), pair % ASCII) ? 1 : 0;
  return table;
}

function canSurvey({ fields, watches, rules }: SurveyedFields): boolean {
  const kinds = watches.map(({ bulk }) => bulk?.kind);
  const isOwn = kinds.includes("key") || (kinds.includes("date") && kinds.includes("digits"));
  return isOwn && !kinds.includes(undefined) && mayBePlain(fields, rules, kinds);
}
