import { RecordList } from "../model/record-list.ts";
import type { RecordText } from "../model/record.ts";
import type { RejectedRow } from "../model/row.ts";
import { NUMBER_BYTES, NUMBERS, PackedRecords, PLACES, type UnpackedPlace } from "./packed-records.ts";

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
