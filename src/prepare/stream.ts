import type { SuspectList, SuspectRow } from "../fields/odd/suspects.ts";
import type { RejectedRow } from "../model/rows.ts";
import {
  type ChunkRecords,
  type PreparedRecord,
  recordAt,
  type RecordKind,
  type RecordList,
} from "../model/settlement.ts";
import type { LeftOutCreate, SurveyedInput } from "../survey/survey-input.ts";
import type { EmptyRow, PreparedChunk } from "./packed-chunk.ts";
import { type PrepareOptions, prepareRecords } from "./prepare-records.ts";

/**
 * Why a record is not sent now: a later row has its key or identity, it was created before, an earlier push left it in
 * doubt, it was created before with other values, later runs overtook it, or an earlier process settled it.
 */
export type LeftOutReason = LeftOutCreate | "overtaken" | "settled";

/** A record that is not sent now. */
interface LeftOutRecord {
  readonly record: PreparedRecord;
  readonly why: LeftOutReason;
}

/** A prepared chunk in which only the records that are to be sent now are still records. */
export interface SelectedChunk extends PreparedChunk {
  readonly leftOut: readonly LeftOutRecord[];
}

/** Reasons for leaving out records that their rows do not show. */
export interface Selection {
  /** The rows that are unlike all others. */
  readonly suspects?: SuspectList | undefined;
  /** Says for rows, given by their starts, in file order, whether a later row has their key. */
  readonly areRepeated?: ((starts: readonly number[]) => Promise<readonly boolean[]>) | undefined;
  /** True if an earlier run of the same content made the creates. */
  readonly leavesCreatesOut?: boolean | undefined;
  /** Why the ledger leaves a create out; `undefined` if it is sent. */
  readonly whyLeftOut?: ((ordinal: number) => LeftOutCreate | undefined) | undefined;
  /** True for an update whose fields later runs have all given. */
  readonly isOvertaken?: ((update: PreparedRecord) => boolean) | undefined;
  /** True for a record that an earlier process of the run settled. */
  readonly isSettled?: ((kind: RecordKind, ordinal: number) => boolean) | undefined;
}

/** How a pass reads an input, and which of its records it leaves out. */
export interface StreamOptions
  extends PrepareOptions, Pick<Selection, "leavesCreatesOut" | "whyLeftOut" | "isOvertaken"> {
  /** The records of the input, if a thread makes them. */
  readonly chunks?: AsyncIterable<PreparedChunk> | undefined;
  /** The account of the run: a record that has a state in it is settled, and left out. */
  readonly states?:
    { readonly standingOf: (kind: RecordKind, ordinal: number) => string | undefined } | undefined;
}

/**
 * The second pass over an input, the only one. A push, a check, a plan, and later questions about the records differ only
 * in the records that they leave out and in their use of the chunks.
 */
export function stream(
  input: SurveyedInput,
  { chunks, states, leavesCreatesOut, whyLeftOut, isOvertaken, ...prepare }: StreamOptions,
): AsyncGenerator<SelectedChunk> {
  const { plan, repeated } = input;
  return selectRecords(chunks ?? prepareRecords(input, prepare), {
    suspects: plan.suspects,
    areRepeated: repeated && ((starts) => repeated.areMarked(starts)),
    leavesCreatesOut,
    whyLeftOut,
    isOvertaken,
    isSettled: states && ((kind, ordinal) => states.standingOf(kind, ordinal) !== undefined),
  });
}

/** Calls `take` with each record of a pass; its text is there until `take` returns, or its promise resolves. */
export async function eachRecord(
  input: SurveyedInput,
  options: StreamOptions,
  take: (record: PreparedRecord) => Promise<void> | void,
): Promise<void> {
  for await (const { records } of stream(input, options))
    for (const record of records) {
      const taking = take(record);
      // Nearly every record needs no wait.
      if (taking !== undefined) await taking;
    }
}

/** The one place where records are left out, and where the others get their ordinals. */
export async function* selectRecords(
  chunks: AsyncIterable<PreparedChunk> | Iterable<PreparedChunk>,
  {
    suspects,
    areRepeated,
    leavesCreatesOut = false,
    whyLeftOut: whyCreateLeftOut,
    isOvertaken,
    isSettled,
  }: Selection,
): AsyncGenerator<SelectedChunk> {
  let updates = 0;
  let creates = 0;

  function whyLeftOut(records: ChunkRecords, index: number): LeftOutReason | undefined {
    const kind = records.kind(index);
    const ordinal = kind === "update" ? updates++ : creates++;
    records.setOrdinal(index, ordinal);
    if (leavesCreatesOut && kind === "create") return "created";
    if (isSettled?.(kind, ordinal) === true) return "settled";
    if (kind === "create") return whyCreateLeftOut?.(ordinal);
    return isOvertaken?.(recordAt(records, index)) === true ? "overtaken" : undefined;
  }

  const left = suspects === undefined ? chunks : leaveOddOut(chunks, suspects);
  for await (const { records, rejected, empty } of left) {
    const leftOut: LeftOutRecord[] = [];
    /** A list of its own only once a record is left out. */
    let selected: RecordList | undefined;
    const repeated = await areRepeated?.(records.map(({ rowStart }) => rowStart));
    let at = 0;
    for (const { of, from, to } of records.stretches) {
      for (let index = from; index < to; index++, at++) {
        const why = repeated?.[at] === true ? "repeated" : whyLeftOut(of, index);
        if (why === undefined) {
          selected?.add(of, index);
          continue;
        }
        selected ??= records.slice(0, at);
        leftOut.push({ record: recordAt(of, index), why });
      }
    }
    yield { records: selected ?? records, rejected, empty, leftOut };
  }
}

/**
 * Turns the rows that the survey found to be unlike all others, whether records or rejected rows, into rejected rows or,
 * where the answer is to skip them, into rows with nothing to send.
 */
async function* leaveOddOut(
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
    .map(({ line, start, end }): RejectedRow => ({
      line,
      start,
      end,
      key: undefined,
      problems: [{ line, ...found.get(start)!.problem }],
    }));
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
