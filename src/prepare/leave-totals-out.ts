import { oddProblem, type SuspectList, type SuspectRow } from "../fields/odd/suspects.ts";
import type { RejectedRow } from "../model/problem-groups.ts";
import { type ChunkRecords, type RecordKind, RecordList, type RecordText } from "../model/settlement.ts";

/**
 * Turns the rows that the survey found to be unlike all others, whether records or rejected rows, into rejected rows or,
 * where the answer is to skip them, into rows with nothing to send.
 */
export async function* leaveOddOut(
  chunks: AsyncIterable<PreparedChunk> | Iterable<PreparedChunk>,
  suspects: SuspectList,
): AsyncGenerator<PreparedChunk> {
  const rows = suspects.rows();
  let next = rows.next();
  for await (const chunk of chunks) {
    const end = lastStart(chunk);
    const found = new Map<number, SuspectRow>();
    for (; next.done !== true && next.value.start <= end; next = rows.next())
      found.set(next.value.start, next.value);
    yield found.size === 0 ? chunk : leaveOut(chunk, found);
  }
}

function leaveOut(
  { records, rejected, empty }: PreparedChunk,
  found: ReadonlyMap<number, SuspectRow>,
): PreparedChunk {
  const others = rejected.filter(({ start }) => !found.has(start));
  const rows = [
    ...records
      .filter(({ rowStart }) => found.has(rowStart))
      .map(({ line, rowStart: start, rowEnd: end }) => ({ line, start, end })),
    ...rejected.filter(({ start }) => found.has(start)),
  ];
  const kept = records.filter(({ rowStart }) => !found.has(rowStart));
  const isSkipped = ({ start }: { readonly start: number }): boolean => found.get(start)!.isSkipped;
  const skipped = rows.filter(isSkipped).map(({ line, start }): EmptyRow => ({ line, start }));
  const invalid = rows
    .filter((row) => !isSkipped(row))
    .map(({ line, start, end }): RejectedRow => {
      const row = found.get(start)!;
      return { line, start, end, key: undefined, problems: [oddProblem(line, row.record, row)] };
    });
  return {
    records: kept,
    rejected: inOrder([...others, ...invalid]),
    empty: inOrder([...empty, ...skipped]),
  };
}

function inOrder<Started extends { readonly start: number }>(rows: Started[]): Started[] {
  return rows.sort((left, right) => left.start - right.start);
}

function lastStart({ records, rejected, empty }: PreparedChunk): number {
  return Math.max(records.at(-1)?.rowStart ?? -1, rejected.at(-1)?.start ?? -1, empty.at(-1)?.start ?? -1);
}

/** A row with nothing to send. */
export interface EmptyRow {
  readonly line: number;
  readonly start: number;
}

/** A number of consecutive rows as records, each list in file order; every row is in one of the lists. */
export interface PreparedChunk {
  readonly records: RecordList;
  readonly rejected: readonly RejectedRow[];
  readonly empty: readonly EmptyRow[];
}

/** The layout of a packed chunk: numbers, keys, the rows that are not records, texts, in this order. */
export interface PackedLayout {
  readonly records: number;
  readonly keyBytes: number;
  /** True if the keys are UTF-16, false if they are Latin-1. */
  readonly hasWideKeys: boolean;
  readonly otherBytes: number;
  /** Of the texts, with the comma behind each: those of the updates come first, so that each batch is one stretch. */
  readonly updateBytes: number;
  readonly textBytes: number;
}

/** A chunk as bytes; they begin at the start of their memory. */
export interface PackedChunk {
  readonly layout: PackedLayout;
  readonly bytes: Buffer;
}

/** Returns a buffer of this size that begins at the start of its memory. */
export type Allocate = (bytes: number) => Buffer;

/** Size of the part before the texts. */
export function headBytes({ records, keyBytes, otherBytes }: PackedLayout): number {
  return records * NUMBERS * NUMBER_BYTES + keyBytes + otherBytes;
}

/** Memory for what is worked out about the records of a chunk; `onSettled` is called once it may be used for another. */
type KeptPlaces = Partial<Pick<UnpackedPlace, "places" | "onSettled">>;

/**
 * Restores the chunk: `head` is the part before the texts, at the start of its memory, which must stay as it is as long
 * as the records are used.
 */
export function unpackChunk(
  layout: PackedLayout,
  head: Buffer,
  text: RecordText,
  { places = new Float64Array(layout.records * PLACES), onSettled }: KeptPlaces = {},
): PreparedChunk {
  const numberBytes = layout.records * NUMBERS * NUMBER_BYTES;
  const keysEnd = numberBytes + layout.keyBytes;
  const others = head.toString("utf8", keysEnd, keysEnd + layout.otherBytes);
  const records = RecordList.of(
    new PackedRecords({
      numbers: new Uint32Array(head.buffer, head.byteOffset, layout.records * NUMBERS),
      keys: head.subarray(numberBytes, keysEnd),
      hasWideKeys: layout.hasWideKeys,
      updateBytes: layout.updateBytes,
      text,
      places,
      onSettled,
    }),
  );
  if (others === "") return { records, rejected: [], empty: [] };
  return { records, ...(JSON.parse(others) as Pick<PreparedChunk, "rejected" | "empty">) };
}

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
interface UnpackedPlace {
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
class PackedRecords implements ChunkRecords {
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
