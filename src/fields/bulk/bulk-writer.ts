import type { CellSpans, RowList } from "../../model/problem-groups.ts";
import { BulkTrials } from "../../wasm/bulk-trials.ts";
import {
  DATES_BYTES,
  INT_BYTES,
  KINDS,
  MOST_DATES,
  NEW_DATE,
  NO_ROOM,
  RowsInstance,
} from "../../wasm/rows-instance.ts";
import { COMMA, DOT } from "../amount/plain-amount.ts";
import { DATE_BYTES, DATE_FORMS } from "../date/seen-dates.ts";
import type { RowRules } from "../record/examine-row.ts";
import type { ExaminedField } from "../record/examined-field.ts";
import type { FieldPlan } from "../record/field-plan.ts";
import { recordPieces } from "../record/record-writer.ts";

/** Records written one after another, each with a comma behind it. */
export interface WrittenRecords {
  readonly text: Uint8Array;
  /** As in a packed chunk. */
  readonly numbers: Uint32Array;
  /** In ASCII. */
  readonly keys: Uint8Array;
}

const RECORD_BYTES = 24;
/** A date has the same value alone and before a clock. */
const ANY_FORM = DATE_FORMS.alone | DATE_FORMS.atMidnight | DATE_FORMS.timed;
const TEXT_BYTES = 1_048_576;
const KEY_BYTES = 262_144;

/** The dates of a field in memory, and how many there are. */
interface KnownDates {
  readonly at: number;
  count: number;
}

/**
 * Writes the records of many rows at once, by WebAssembly: those that `RecordWriter` would write, which tests prove. A
 * row that is not plain is left to it.
 */
export class BulkWriter {
  readonly #trials = new BulkTrials();
  readonly #instance: RowsInstance;
  readonly #rows: BulkRows;
  readonly #fields: readonly ExaminedField[];
  readonly #dates = new Map<number, KnownDates>();
  readonly #records = RowsInstance.area();
  readonly #text: number;
  readonly #keys: number;
  readonly #value: number;

  private constructor(instance: RowsInstance, plan: FieldPlan) {
    const { fields, parts, rules } = plan;
    const { members, tail, fixedBytes } = recordPieces(plan);
    this.#instance = instance;
    const table = fields.flatMap((field, slot) => {
      const spec = parts.specs[slot]!;
      const { first, next } = members[slot]!;
      const dates = spec.kind === "date" ? instance.allocate(DATES_BYTES) : 0;
      if (dates !== 0) this.#dates.set(slot, { at: dates, count: 0 });
      return [
        KINDS[spec.kind],
        field.index,
        field.isRequired || field.fallback !== undefined ? 1 : 0,
        spec.kind === "amount" ? signOf(spec.marks) : 0,
        spec.kind === "amount" ? (spec.scale ?? -1) : 0,
        field.nulls.isEmpty ? 0 : instance.place(field.nulls.firstBytes),
        instance.place(first),
        instance.place(next),
        next.length,
        dates,
      ];
    });
    const nameless = rules.nameless.map(({ index }) => index);
    instance.exports.setFields(
      instance.place(bytesOf(table)),
      fields.length,
      instance.place(tail),
      tail.length,
      rules.hasExtras ? 1 : 0,
      instance.place(bytesOf(nameless)),
      nameless.length,
      fixedBytes,
    );
    this.#fields = fields;
    this.#rows = new BulkRows(instance, 1 + Math.max(...fields.map(({ index }) => index), ...nameless));
    this.#text = instance.allocate(TEXT_BYTES);
    this.#keys = instance.allocate(KEY_BYTES);
    this.#value = instance.allocate(DATE_BYTES);
  }

  /** `undefined` for a plan with rules that need a closer look at every row, and where there is no WebAssembly. */
  static open(plan: FieldPlan): BulkWriter | undefined {
    const instance = canWrite(plan) ? RowsInstance.open() : undefined;
    return instance && new BulkWriter(instance, plan);
  }

  /** To be called before other rows. */
  reset(): void {
    this.#rows.clear();
  }

  /**
   * Writes the records of rows from `from` on and hands them to `take`, whose argument lasts until it returns; returns the
   * first row that needs a closer look, or the number of rows.
   */
  write(rows: RowList, from: number, take: (written: WrittenRecords) => void): number {
    if (!this.#trials.isDue()) return from;
    const loaded = this.#rows;
    if (!loaded.has(from, rows.spans(from))) {
      loaded.load(rows, from);
      this.#instance.reserve(this.#records, (loaded.end - from) * RECORD_BYTES);
      this.#setOutput();
    }
    const end = loaded.spans === undefined ? from : this.#writeLoaded(from, take);
    this.#trials.note(end - from);
    return end;
  }

  #writeLoaded(from: number, take: (written: WrittenRecords) => void): number {
    const { exports } = this.#instance;
    const { from: first, end } = this.#rows;
    for (let at = from; ;) {
      at = first + exports.writeRows(at - first, end - first);
      const reason = exports.reason.value;
      if (reason === NEW_DATE && this.#learn()) continue;
      const isWritten = this.#hand(take);
      if (reason !== NO_ROOM || !isWritten) return at;
    }
  }

  #setOutput(): void {
    this.#instance.exports.setOutput(this.#text, TEXT_BYTES, this.#records.at, this.#keys, KEY_BYTES);
  }

  /** Hands over what is written; false if there is nothing. */
  #hand(take: (written: WrittenRecords) => void): boolean {
    const { exports, bytes } = this.#instance;
    const textEnd = exports.textAt.value;
    if (textEnd === this.#text) return false;
    const { at } = this.#records;
    take({
      text: bytes.subarray(this.#text, textEnd),
      numbers: new Uint32Array(bytes.buffer, at, (exports.recordsAt.value - at) / INT_BYTES),
      keys: bytes.subarray(this.#keys, exports.keysAt.value),
    });
    this.#setOutput();
    return true;
  }

  /** Learns the date at which the writing stopped; false if it needs a closer look. */
  #learn(): boolean {
    const { exports, bytes } = this.#instance;
    const slot = exports.dateField.value;
    const cell = exports.dateCell.value;
    const known = this.#dates.get(slot)!;
    if (known.count >= MOST_DATES) return false;
    const { starts, ends, bytes: source } = this.#rows.spans!;
    const value = this.#fields[slot]!.take(source.toString("latin1", starts[cell], ends[cell]), 0);
    if (typeof value !== "string" || value.length !== DATE_BYTES) return false;
    known.count += 1;
    bytes.write(value, this.#value, "latin1");
    exports.addDate(known.at, this.#rows.at + starts[cell]!, this.#value, ANY_FORM);
    return true;
  }
}

function signOf(marks: number): number {
  return marks === DOT ? 0x2e : marks === COMMA ? 0x2c : 0;
}

function canWrite({ fields, parts, rules }: FieldPlan): boolean {
  return (
    fields.length > 0 &&
    mayBePlain(
      fields,
      rules,
      parts.specs.map(({ kind }) => kind),
    )
  );
}

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

  /** Loads the rows from `from` on that have the same bytes. */
  load(rows: RowList, from: number): void {
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
      numbers[to] = width < this.#width ? NOT_PLAIN : firstCell;
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
