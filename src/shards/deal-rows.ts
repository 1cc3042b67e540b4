import { createHash, type Hash } from "node:crypto";
import type { RecordKind, RecordList, RecordStretch } from "../model/settlement.ts";
import type { PreparedChunk } from "../prepare/packed-chunk.ts";
import { type PrepareOptions, prepareRecords } from "../prepare/prepare-records.ts";
import { leaveOddOut } from "../prepare/select.ts";
import { canSlice } from "../read/read-rows.ts";
import type { Slice } from "../read/slice.ts";
import { partitionOf } from "../store/spill.ts";
import type { LeftOutCreate } from "../survey/input-part.ts";
import type { RepeatedKeys } from "../survey/repeated-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { PartCounts } from "./shard-plan.ts";

/** Seeds the hash of keys, so that a shard's keys are not those of one partition on disk. */
const SEED = 11;

/** The shard, counted from 0, that sends the rows of a key. */
export function shardOfKey(key: string, shards: number): number {
  return partitionOf(key, shards, SEED);
}

/** The reasons for leaving a create out, by the code in the plan's files; 0 is a create that is sent. */
export const LEFT_OUT_CODES: readonly (LeftOutCreate | undefined)[] = [
  undefined,
  "created",
  "inDoubt",
  "changed",
  "repeated",
];

/** How an input is dealt. */
export interface Dealing {
  readonly shards: number;
  readonly read: PrepareOptions["read"];
  /** Why a create is left out, by its number among the creates of the input; `undefined` if none is. */
  readonly whyLeftOut: ((ordinal: number) => LeftOutCreate | undefined) | undefined;
  /** Takes the keys with the number of the shard that they are in; `undefined` if they are known to be distinct. */
  readonly keys: RepeatedKeys | undefined;
  readonly stop: () => void;
}

/** The rows between two borders. */
export interface DealtSlice extends Slice, PartCounts {
  /** Rows with a key that the shard would get if they were dealt by their keys. */
  readonly updatesByKey: number;
  /** Codes of the creates in order; empty if all are sent. */
  readonly leftOut: Uint8Array;
}

/** An input with the borders between its shards, which have equal numbers of rows. */
export interface DealtInput {
  readonly slices: readonly DealtSlice[];
  /** True if reading each slice alone was tried, and gave the same rows. */
  readonly isAlone: boolean;
}

/** Deals the rows of a surveyed input, in one pass over it; in a second one it tries whether each slice can be read alone. */
export async function dealRows(input: SurveyedInput, dealing: Dealing): Promise<DealtInput> {
  const dealer = new Dealer(input, dealing);
  for await (const chunk of chunksOf(input, dealing)) {
    dealing.stop();
    dealer.take(chunk);
    await dealing.keys?.settle();
  }
  const slices = dealer.finish();
  const isAlone =
    canSlice(input.source, input.inspection) && (await areSame(input, slices, dealer.sums, dealing));
  return { slices, isAlone };
}

function chunksOf(input: SurveyedInput, { read }: Dealing, slice?: Slice): AsyncIterable<PreparedChunk> {
  const { suspects } = input.plan;
  const part = slice && { ...slice, isAlone: true };
  const chunks = prepareRecords({ ...input, ...(part && { part }) }, { read });
  return suspects === undefined ? chunks : leaveOddOut(chunks, suspects);
}

/** True if the slices, each read alone, hold the rows that the input holds between their borders. */
async function areSame(
  input: SurveyedInput,
  slices: readonly Slice[],
  sums: readonly string[],
  dealing: Dealing,
): Promise<boolean> {
  for (const [at, slice] of slices.entries()) {
    const sum = new RowSum();
    for await (const chunk of chunksOf(input, dealing, slice)) {
      dealing.stop();
      sum.add(chunk);
    }
    if (sum.finish() !== sums[at]) return false;
  }
  return true;
}

type Counted = { -readonly [Name in keyof PartCounts]: number } & {
  from: number;
  line: number;
  updatesByKey: number;
  sum: RowSum;
  codes: number[];
  isLeftOut: boolean;
};

class Dealer {
  readonly #input: SurveyedInput;
  readonly #dealing: Dealing;
  readonly #slices: Counted[];
  readonly #rows: number;
  #row = 0;
  #at = 0;
  #create = 0;

  constructor(input: SurveyedInput, dealing: Dealing) {
    this.#input = input;
    this.#dealing = dealing;
    this.#rows = input.report.counts.rows;
    this.#slices = Array.from({ length: dealing.shards }, () => ({
      from: 0,
      line: 1,
      rows: 0,
      updates: 0,
      updatesByKey: 0,
      creates: 0,
      invalid: 0,
      invalidBytes: 0,
      skipped: 0,
      sum: new RowSum(),
      codes: [],
      isLeftOut: false,
    }));
  }

  get sums(): readonly string[] {
    return this.#slices.map(({ sum }) => sum.finish());
  }

  take(chunk: PreparedChunk): void {
    const { records, rejected, empty } = chunk;
    const recordStarts = rowStartsOf(records);
    const starts = allStarts(recordStarts, [...rejected, ...empty]);
    let from = 0;
    let record = 0;
    while (from < starts.length) {
      const first = starts[from]!;
      if (this.#row >= this.#border(this.#at + 1)) this.#moveTo(first, lineAt(first, chunk));
      // The rows up to the next border are taken together.
      const count = Math.min(starts.length - from, this.#border(this.#at + 1) - this.#row);
      const last = starts[from + count - 1]!;
      const isIn = ({ start }: { readonly start: number }): boolean => start >= first && start <= last;
      let end = record;
      while (end < recordStarts.length && recordStarts[end]! <= last) end += 1;
      this.#add({
        records: records.slice(record, end),
        rejected: rejected.filter(isIn),
        empty: empty.filter(isIn),
      });
      record = end;
      from += count;
      this.#row += count;
    }
  }

  /** Throws if these are not the rows that the survey counted: then the plan would lose some. */
  finish(): readonly DealtSlice[] {
    const { counts } = this.#input.report;
    const { totalBytes } = this.#input.inspection.proof;
    // The shards for which no row is left.
    for (let at = this.#at + 1; at < this.#slices.length; at++) this.#slices[at]!.from = totalBytes;
    const sum = (of: (slice: Counted) => number): number =>
      this.#slices.reduce((total, slice) => total + of(slice), 0);
    const found = [
      sum(({ rows }) => rows),
      sum(({ updates }) => updates),
      sum(({ updatesByKey }) => updatesByKey),
      sum(({ invalid }) => invalid),
      this.#create,
    ];
    const expected = [counts?.rows, counts?.updates, counts?.updates, counts?.invalid, counts?.creates];
    if (found.some((number, at) => number !== expected[at]))
      throw new Error(
        `the rows dealt are not those of the survey: ${found.join(", ")} of ${expected.join(", ")}`,
      );
    return this.#slices.map(({ codes, isLeftOut, ...slice }, at) =>
      Object.assign(slice, {
        to: this.#slices[at + 1]?.from ?? totalBytes,
        leftOut: Uint8Array.from(isLeftOut ? codes : []),
      }),
    );
  }

  /** The number of the first row of a shard. */
  #border(shard: number): number {
    const { shards } = this.#dealing;
    return shard >= shards ? Infinity : Math.floor((shard * this.#rows) / shards);
  }

  /** Moves on to the shard of the next row, which begins at `from`. */
  #moveTo(from: number, line: number): void {
    while (this.#row >= this.#border(this.#at + 1)) Object.assign(this.#slices[++this.#at]!, { from, line });
  }

  #add(chunk: PreparedChunk): void {
    const slice = this.#slices[this.#at]!;
    const { records, rejected, empty } = chunk;
    slice.sum.add(chunk);
    slice.rows += records.length + rejected.length + empty.length;
    slice.invalid += rejected.length;
    slice.skipped += empty.length;
    for (const { start, end } of rejected) slice.invalidBytes += end - start;
    for (const { key, line } of records) this.#addRecord(slice, key, line);
  }

  #addRecord(slice: Counted, key: string | undefined, line: number): void {
    const { shards, keys, whyLeftOut } = this.#dealing;
    if (key !== undefined) {
      slice.updates += 1;
      this.#slices[shardOfKey(key, shards)]!.updatesByKey += 1;
      keys?.add(key, line, this.#at);
      return;
    }
    const why = whyLeftOut?.(this.#create);
    this.#create += 1;
    if (whyLeftOut !== undefined) slice.codes.push(LEFT_OUT_CODES.indexOf(why));
    if (why === undefined) slice.creates += 1;
    else {
      slice.skipped += 1;
      slice.isLeftOut = true;
    }
  }
}

/** Where the rows of records begin, in file order. */
function rowStartsOf({ length, stretches }: RecordList): Float64Array {
  const starts = new Float64Array(length);
  let at = 0;
  for (const { of, from, to } of stretches)
    for (let index = from; index < to; index++) starts[at++] = of.rowStart(index);
  return starts;
}

/** Where these and the other rows of a chunk begin, in file order. */
function allStarts(ofRecords: Float64Array, others: readonly { readonly start: number }[]): Float64Array {
  if (others.length === 0) return ofRecords;
  return Float64Array.from([...ofRecords, ...others.map(({ start }) => start)]).sort();
}

/** The line of the row of a chunk that begins there. Throws if there is none. */
function lineAt(rowStart: number, { records, rejected, empty }: PreparedChunk): number {
  const other = [...rejected, ...empty].find(({ start }) => start === rowStart);
  if (other !== undefined) return other.line;
  for (const record of records) if (record.rowStart === rowStart) return record.line;
  throw new Error(`no row of the chunk begins at byte ${rowStart}`);
}

/** Of a record: where its row begins and ends, its line, and its size, which is negative for a create. */
const PLACE_NUMBERS = 4;
const COMMA = 44;

/**
 * A hash of rows: their verdicts, their places and their records. It is the same however they are cut into chunks, as each
 * sort of rows has one of its own.
 */
export class RowSum {
  readonly #rejected = sha256();
  readonly #empty = sha256();
  readonly #places = sha256();
  readonly #texts: Readonly<Record<RecordKind, Hash>> = { update: sha256(), create: sha256() };

  add({ records, rejected, empty }: PreparedChunk): void {
    for (const { start, line, end } of rejected) this.#rejected.update(`${start} ${line} ${end}\n`);
    for (const { start, line } of empty) this.#empty.update(`${start} ${line}\n`);
    for (const stretch of records.stretches) {
      this.#places.update(placesOf(stretch));
      for (const kind of ["update", "create"] as const) {
        const text = textOf(stretch, kind);
        if (text !== undefined) this.#texts[kind].update(text);
      }
    }
  }

  finish(): string {
    const { update, create } = this.#texts;
    return [this.#rejected, this.#empty, this.#places, update, create]
      .map((hash) => hash.digest("hex"))
      .join(" ");
  }
}

function sha256(): Hash {
  return createHash("sha256");
}

function placesOf({ of, from, to }: RecordStretch): Float64Array {
  const places = new Float64Array((to - from) * PLACE_NUMBERS);
  let at = 0;
  for (let index = from; index < to; index++) {
    const bytes = of.bytes(index);
    places[at++] = of.rowStart(index);
    places[at++] = of.rowEnd(index);
    places[at++] = of.line(index);
    places[at++] = of.kind(index) === "create" ? -bytes : bytes;
  }
  return places;
}

/** The records of one kind, which follow each other in the text, with a comma behind each; `undefined` if there is none. */
function textOf({ of, from, to }: RecordStretch, kind: RecordKind): Buffer | undefined {
  let first = from;
  while (first < to && of.kind(first) !== kind) first += 1;
  if (first === to) return undefined;
  let last = to - 1;
  while (of.kind(last) !== kind) last -= 1;
  const start = of.start(first);
  const length = of.start(last) + of.bytes(last) - start;
  const text = Buffer.allocUnsafe(length + 1);
  of.text.copy(text, 0, start, start + length);
  text[length] = COMMA;
  return text;
}
