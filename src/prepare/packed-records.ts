import type { ChunkRecords } from "../model/record-list.ts";
import type { RecordKind, RecordText } from "../model/record.ts";

/**
 * 32-bit unsigned integers for each record: line, row's start in two halves, row's size, record's size, and the key's
 * length plus one.
 */
export const NUMBERS = 6;
export const NUMBER_BYTES = 4;
export const TWO_TO_32 = 2 ** 32;

/** Numbers of 64 bits for each record that follow from the others: where its text and its key begin, and its ordinal. */
export const PLACES = 3;

/** Where the records of a chunk are. */
export interface UnpackedPlace {
  readonly numbers: Uint32Array;
  /** One after the other. */
  readonly keys: Buffer;
  /** True if the keys are UTF-16, false if they are Latin-1. */
  readonly hasWideKeys: boolean;
  /** Of the texts, with the comma behind each: those of the updates come first. */
  readonly updateBytes: number;
  readonly text: RecordText;
  /** Room for {@link PLACES} numbers for each record. */
  readonly places: Float64Array;
  /** Called once all records are settled. */
  readonly onSettled: (() => void) | undefined;
}

/** The records of a chunk, as the numbers that it was packed with. */
export class PackedRecords implements ChunkRecords {
  readonly length: number;
  /** Undefined once all records are settled. */
  #place: UnpackedPlace | undefined;
  /** Made when the first key is asked for, which hardly anybody does where all are different. */
  #keys: string | undefined;
  #unsettled: number;

  constructor(place: UnpackedPlace) {
    this.length = place.numbers.length / NUMBERS;
    this.#place = place;
    this.#unsettled = this.length;
    fillPlaces(place);
  }

  get text(): RecordText {
    return this.#known.text;
  }

  line(index: number): number {
    return this.#known.numbers[index * NUMBERS]!;
  }

  rowStart(index: number): number {
    const { numbers } = this.#known;
    return numbers[index * NUMBERS + 1]! * TWO_TO_32 + numbers[index * NUMBERS + 2]!;
  }

  rowEnd(index: number): number {
    return this.rowStart(index) + this.#known.numbers[index * NUMBERS + 3]!;
  }

  bytes(index: number): number {
    return this.#known.numbers[index * NUMBERS + 4]!;
  }

  kind(index: number): RecordKind {
    return this.#known.numbers[index * NUMBERS + 5] === 0 ? "create" : "update";
  }

  key(index: number): string | undefined {
    const { numbers, places, keys, hasWideKeys } = this.#known;
    const length = numbers[index * NUMBERS + 5]! - 1;
    if (length < 0) return undefined;
    this.#keys ??= keys.toString(hasWideKeys ? "utf16le" : "latin1");
    const start = places[index * PLACES + 1]!;
    return this.#keys.slice(start, start + length);
  }

  start(index: number): number {
    return this.#known.places[index * PLACES]!;
  }

  ordinal(index: number): number {
    return this.#known.places[index * PLACES + 2]!;
  }

  setOrdinal(index: number, ordinal: number): void {
    this.#known.places[index * PLACES + 2] = ordinal;
  }

  settled(records: number): void {
    const { onSettled } = this.#known;
    this.#unsettled -= records;
    if (this.#unsettled > 0) return;
    this.#place = undefined;
    onSettled?.();
  }

  get #known(): UnpackedPlace {
    if (this.#place === undefined)
      throw new Error("a record is read after all records of its chunk were settled");
    return this.#place;
  }
}

function fillPlaces({ numbers, updateBytes, places }: UnpackedPlace): void {
  let updateStart = 0;
  let createStart = updateBytes;
  let keyStart = 0;
  for (let from = 0, to = 0; from < numbers.length; from += NUMBERS, to += PLACES) {
    const bytes = numbers[from + 4]! + 1;
    const keyLength = numbers[from + 5]! - 1;
    places[to + 1] = keyStart;
    if (keyLength < 0) {
      places[to] = createStart;
      createStart += bytes;
    } else {
      places[to] = updateStart;
      updateStart += bytes;
      keyStart += keyLength;
    }
  }
}
