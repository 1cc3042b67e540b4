import { JsonNumber, type Cell } from "../../model/row.ts";
import { DATES_BYTES, INT_BYTES, KINDS, MOST_DATES, type RowsInstance } from "../../wasm/rows-instance.ts";
import { dateFormOf } from "../date/seen-dates.ts";
import type { AmountSum } from "../amount/amount-sum.ts";
import type { NullWords } from "../null-words.ts";
import type { ExaminedField } from "../record/examined-field.ts";
import type { ColumnWatch } from "../survey/column-watch.ts";
import type { FillTally } from "../survey/fill-tally.ts";
import type { BulkCells } from "../survey/plain-cells.ts";
import { bytesOf } from "./bulk-rows.ts";

/** As in `assembly/survey-fields.ts`. */
const FIELD_BYTES = 48;
const SAMPLES_AT = 20;
const FILLED_AT = 28;
const WAY_AT = 44;
const WIDTHS = 65;
const FORMS_BYTES = 16;
const HAS_DECIMALS_AT = 15;
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
      const { sum } = bulk!;
      bytes.writeInt32LE(bulk!.way(), field + WAY_AT);
      bytes.set(sum.known, state);
      bytes[state + HAS_DECIMALS_AT] = sum.hasDecimals ? 1 : 0;
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
      else if (bulk!.kind === "text") collectSums(bulk!.sum.sum, bytes, state + FORMS_BYTES);
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
