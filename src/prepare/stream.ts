import {
  type ChunkRecords,
  type PreparedRecord,
  recordAt,
  type RecordKind,
  type RecordList,
} from "../model/settlement.ts";
import type { LeftOutCreate, SurveyedInput } from "../survey/survey-input.ts";
import type { PreparedChunk } from "./packed-chunk.ts";
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

/** How a pass reads an input, and which of its records it leaves out. */
export interface StreamOptions extends PrepareOptions {
  /** The records of the input, if a thread makes them. */
  readonly chunks?: AsyncIterable<PreparedChunk> | undefined;
  /** Why the ledger leaves a create out; `undefined` if it is sent. */
  readonly whyLeftOut?: ((ordinal: number) => LeftOutCreate | undefined) | undefined;
  /** True for an update whose fields later runs have all given. */
  readonly isOvertaken?: ((update: PreparedRecord) => boolean) | undefined;
  /** The account of the run: a record that has a state in it is settled, and left out. */
  readonly states?:
    { readonly standingOf: (kind: RecordKind, ordinal: number) => string | undefined } | undefined;
}

/**
 * The second pass over an input, the only one. A push, a check, a plan, and later questions about the records differ only
 * in the records that they leave out and in their use of the chunks. Here the records that are sent get their ordinals.
 */
export async function* stream(
  input: SurveyedInput,
  { chunks, states, whyLeftOut, isOvertaken, ...prepare }: StreamOptions,
): AsyncGenerator<SelectedChunk> {
  let updates = 0;
  let creates = 0;
  /** Updates so far, with those that are left out because a later row has their key. */
  let keyed = 0;

  function whyNotSent(records: ChunkRecords, index: number): LeftOutReason | undefined {
    const kind = records.kind(index);
    const ordinal = kind === "update" ? updates++ : creates++;
    records.setOrdinal(index, ordinal);
    if (states?.standingOf(kind, ordinal) !== undefined) return "settled";
    if (kind === "create") return whyLeftOut?.(ordinal);
    return isOvertaken?.(recordAt(records, index)) === true ? "overtaken" : undefined;
  }

  for await (const { records, rejected, empty } of chunks ?? prepareRecords(input, prepare)) {
    const leftOut: LeftOutRecord[] = [];
    /** A list of its own only once a record is left out. */
    let selected: RecordList | undefined;
    let at = 0;
    for (const { of, from, to } of records.stretches) {
      for (let index = from; index < to; index++, at++) {
        const isUpdate = input.repeated !== undefined && of.kind(index) === "update";
        const isRepeated = isUpdate && input.repeated.isMarked(keyed++);
        const why = isRepeated ? "repeated" : whyNotSent(of, index);
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
