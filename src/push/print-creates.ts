import { type ComparisonForm, isEmptyHash, placeOfHash } from "../ledger/comparison-form.ts";
import { emptyIdentity } from "../ledger/identity-faults.ts";
import { PrintSpool } from "../ledger/print-table.ts";
import type { PreparedRecord, RecordList } from "../model/settlement.ts";
import type { PreparedChunk } from "../prepare/packed-chunk.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** If there are more lines, the others are counted instead of named. */
const MOST_LINES = 10;

/** The creates of an input as they will be sent, in their order. `chunks`: those of the input, if a thread makes them. */
async function* createsOf(
  input: SurveyedInput,
  read: ReadOptions,
  chunks?: AsyncIterable<PreparedChunk>,
): AsyncGenerator<RecordList> {
  const prepared = chunks ?? prepareRecords(input, { read, createsOnly: true });
  for await (const { records } of selectRecords(prepared, selectionOf(input)))
    yield records.filter((record) => record.kind === "create");
}

/** Calls `take` with the JSON text of each create of an input: it is in `text` from `from` on, until the next call. */
async function eachCreate(
  input: SurveyedInput,
  read: ReadOptions,
  take: (text: Buffer, from: number, record: PreparedRecord) => Promise<void> | undefined | void,
  chunks?: AsyncIterable<PreparedChunk>,
): Promise<void> {
  for await (const creates of createsOf(input, read, chunks)) {
    for (const record of creates) {
      const { text, start } = record;
      const settling = take(text, start, record);
      if (settling !== undefined) await settling;
    }
  }
}

/** The prints of the creates of an input. Throws an input error if one has no value in the fields of `identity`. */
export async function printCreates(
  input: SurveyedInput,
  form: ComparisonForm,
  identity: readonly string[] | undefined,
  read: ReadOptions,
  directory: string,
  chunks?: AsyncIterable<PreparedChunk>,
): Promise<PrintSpool> {
  const spool = await PrintSpool.create(directory, form.comparedAs.hashed);
  const place = placeOfHash(spool, identity);
  const lines: number[] = [];
  let empty = 0;
  const add = (text: Buffer, from: number, { line }: PreparedRecord): Promise<void> | undefined =>
    spool.add((prints, at) => {
      form.print(text, from, prints, at);
      if (place === undefined || !isEmptyHash(prints, at + place)) return;
      empty += 1;
      if (lines.length < MOST_LINES) lines.push(line);
    });
  await eachCreate(input, read, add, chunks);
  if (empty === 0) return spool;
  await spool.remove();
  throw emptyIdentity(input.source.name, identity ?? [], empty, lines);
}

/** The first lines of the creates of an input with such ordinals. */
export async function linesOfCreates(
  input: SurveyedInput,
  read: ReadOptions,
  isWanted: (ordinal: number) => boolean,
): Promise<readonly number[]> {
  const lines: number[] = [];
  await eachCreate(input, read, (_text, _from, { ordinal, line }) => {
    if (lines.length < MOST_LINES && isWanted(ordinal)) lines.push(line);
  });
  return lines;
}
