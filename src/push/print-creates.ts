import { type ComparisonForm, isEmptyHash, placeOfHash } from "../ledger/comparison-form.ts";
import { unfitIdentity } from "../ledger/ledger-questions.ts";
import { PrintSpool } from "../ledger/print-table.ts";
import type { PreparedRecord } from "../model/settlement.ts";
import type { PreparedChunk } from "../prepare/packed-chunk.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** If there are more lines, the others are counted instead of named. */
const MOST_LINES = 10;

/** Calls `take` with each create of an input as it will be sent. `chunks`: see {@link eachRecord}. */
function eachCreate(
  input: SurveyedInput,
  read: ReadOptions,
  take: (record: PreparedRecord) => Promise<void> | void,
  chunks?: AsyncIterable<PreparedChunk>,
): Promise<void> {
  return eachRecord(input, { read, createsOnly: true, chunks }, (record) =>
    record.kind === "create" ? take(record) : undefined,
  );
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
  const add = ({ text, start, bytes, line }: PreparedRecord): Promise<void> | undefined =>
    spool.add((prints, at) => {
      form.print(text, start, bytes, prints, at);
      if (place === undefined || !isEmptyHash(prints, at + place)) return;
      empty += 1;
      if (lines.length < MOST_LINES) lines.push(line);
    });
  await eachCreate(input, read, add, chunks);
  if (empty === 0) return spool;
  await spool.remove();
  throw unfitIdentity("empty", input.source.name, identity ?? [], empty, lines);
}

/** The first lines of the creates of an input with such ordinals. */
export async function linesOfCreates(
  input: SurveyedInput,
  read: ReadOptions,
  isWanted: (ordinal: number) => boolean,
): Promise<readonly number[]> {
  const lines: number[] = [];
  await eachCreate(input, read, ({ ordinal, line }) => {
    if (lines.length < MOST_LINES && isWanted(ordinal)) lines.push(line);
  });
  return lines;
}
