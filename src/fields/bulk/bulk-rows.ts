import type { CellSpans, RowList } from "../../model/row.ts";
import { INT_BYTES, RowsInstance } from "../../wasm/rows-instance.ts";
import type { RowRules } from "../record/examine-row.ts";
import type { ExaminedField } from "../record/examined-field.ts";

/** Longer stretches of bytes are not worth their memory. */
const MOST_BYTES = 8_388_608;
/** First cell, line, start in two halves, bytes. */
const ROW_NUMBERS = 5;
const TWO_TO_32 = 2 ** 32;
const NOT_PLAIN = -1;
/** The dates of each take memory. */
const MOST_DATE_FIELDS = 16;

/** The rows of one buffer in the memory of an instance. */
export class BulkRows {
  /** Whose cells they have; `undefined` if none are there. */
  spans: CellSpans | undefined;
  /** The numbers of the first row that is there, and of the one after the last. */
  from = 0;
  end = 0;
  readonly #instance: RowsInstance;
  /** Rows with fewer cells need a closer look. */
  readonly #width: number;
  readonly #areas = {
    bytes: RowsInstance.area(),
    starts: RowsInstance.area(),
    ends: RowsInstance.area(),
    marks: RowsInstance.area(),
    rows: RowsInstance.area(),
  };

  constructor(instance: RowsInstance, width: number) {
    this.#instance = instance;
    this.#width = width;
  }

  /** The position of its bytes. */
  get at(): number {
    return this.#areas.bytes.at;
  }

  /** Forgets the rows: other ones have these numbers. */
  clear(): void {
    this.spans = undefined;
    this.end = 0;
  }

  /** True if a row is there. */
  has(at: number, spans: CellSpans | undefined): boolean {
    return at < this.end && spans !== undefined && spans === this.spans;
  }

  /** Loads the rows from `from` on that have the same bytes; those for which `isLeft` is true count as not plain. */
  load(rows: RowList, from: number, isLeft?: (at: number) => boolean): void {
    const spans = rows.spans(from);
    this.clear();
    this.from = from;
    this.end = from;
    if (spans === undefined || spans.bytes.length > MOST_BYTES) return;
    const { bytes, starts, ends, marks, rows: infos } = this.#areas;
    const instance = this.#instance;
    instance.reserve(infos, (rows.length - from) * ROW_NUMBERS * INT_BYTES);
    const numbers = new Int32Array(instance.bytes.buffer, infos.at, (rows.length - from) * ROW_NUMBERS);
    let first = Infinity;
    let last = 0;
    let at = from;
    for (let to = 0; at < rows.length; at++, to += ROW_NUMBERS) {
      if (rows.spans(at) !== spans) break;
      const [start, firstCell, width] = [rows.start(at), rows.firstCell(at), rows.width(at)];
      numbers[to] = width < this.#width || isLeft?.(at) === true ? NOT_PLAIN : firstCell;
      numbers[to + 1] = rows.line(at);
      numbers[to + 2] = Math.floor(start / TWO_TO_32);
      numbers[to + 3] = start;
      numbers[to + 4] = rows.end(at) - start;
      if (firstCell < first) first = firstCell;
      if (firstCell + width > last) last = firstCell + width;
    }
    this.spans = spans;
    this.end = at;
    instance.fill(bytes, spans.bytes);
    instance.fill(starts, viewOf(spans.starts.subarray(first, last)));
    instance.fill(ends, viewOf(spans.ends.subarray(first, last)));
    instance.fill(marks, spans.marks.subarray(first, last));
    instance.exports.setRows(
      bytes.at,
      starts.at - first * INT_BYTES,
      ends.at - first * INT_BYTES,
      marks.at - first,
      infos.at,
    );
  }
}

/** False for fields or rules that need a closer look at every row; `kinds`: those of the fields. */
export function mayBePlain(
  fields: readonly ExaminedField[],
  rules: RowRules,
  kinds: readonly (string | undefined)[],
): boolean {
  const dates = kinds.filter((kind) => kind === "date").length;
  const isPlain = !rules.sendsEmpty && rules.only === undefined && dates <= MOST_DATE_FIELDS;
  return isPlain && fields.every(({ isChecked }) => !isChecked);
}

/** Integers as bytes, as they are in memory. */
export function bytesOf(numbers: readonly number[]): Uint8Array {
  return viewOf(Int32Array.from(numbers));
}

function viewOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
