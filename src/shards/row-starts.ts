import type { RecordList } from "../model/record-list.ts";
import type { PreparedChunk } from "../prepare/packed-chunk.ts";

/** Where the rows of records begin, in file order. */
export function rowStartsOf({ length, stretches }: RecordList): Float64Array {
  const starts = new Float64Array(length);
  let at = 0;
  for (const { of, from, to } of stretches)
    for (let index = from; index < to; index++) starts[at++] = of.rowStart(index);
  return starts;
}

/** Where these and the other rows of a chunk begin, in file order. */
export function allStarts(
  ofRecords: Float64Array,
  others: readonly { readonly start: number }[],
): Float64Array {
  if (others.length === 0) return ofRecords;
  return Float64Array.from([...ofRecords, ...others.map(({ start }) => start)]).sort();
}

/** The line of the row of a chunk that begins there. Throws if there is none. */
export function lineAt(rowStart: number, { records, rejected, empty }: PreparedChunk): number {
  const other = [...rejected, ...empty].find(({ start }) => start === rowStart);
  if (other !== undefined) return other.line;
  for (const record of records) if (record.rowStart === rowStart) return record.line;
  throw new Error(`no row of the chunk begins at byte ${rowStart}`);
}
