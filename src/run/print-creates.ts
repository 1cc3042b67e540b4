import type { ComparisonForm } from "../ledger/comparison-form.ts";
import { emptyIdentity } from "../ledger/ledger-questions.ts";
import { PrintSpool } from "../ledger/print-spool.ts";
import { kindOf, recordJson, type PreparedRecord } from "../model/record.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** If there are more lines, the others are counted instead of named. */
const MOST_LINES = 10;

/** The creates of an input as they will be sent, in their order. */
export async function* createsOf(
  input: SurveyedInput,
  read: ReadOptions,
): AsyncGenerator<readonly PreparedRecord[]> {
  const prepared = prepareRecords(input, {
    read,
    judgesTotals: input.report.counts === undefined,
    createsOnly: true,
  });
  for await (const { records } of selectRecords(prepared, selectionOf(input)))
    yield records.filter((record) => kindOf(record) === "create");
}

/** Calls `take` with the JSON text of each create of an input: it is in `text` from `from` on, until the next call. */
export async function eachCreate(
  input: SurveyedInput,
  read: ReadOptions,
  take: (text: Buffer, from: number, record: PreparedRecord) => Promise<void> | undefined | void,
): Promise<void> {
  for await (const creates of createsOf(input, read)) {
    for (const record of creates) {
      const { text, start } = record;
      // In a chunk made in this thread, all texts are in one buffer.
      const settling = Buffer.isBuffer(text)
        ? take(text, start, record)
        : take(Buffer.from(recordJson(record)), 0, record);
      if (settling !== undefined) await settling;
    }
  }
}

/** The prints of the creates of an input. Throws an input error if one has no identity. */
export async function printCreates(
  input: SurveyedInput,
  form: ComparisonForm,
  read: ReadOptions,
  directory: string,
): Promise<PrintSpool> {
  const spool = await PrintSpool.create(directory, form.width);
  const lines: number[] = [];
  let empty = 0;
  await eachCreate(input, read, (text, from, { line }) => {
    const full = spool.add((prints, at) => {
      if (form.print(text, from, prints, at)) return;
      empty += 1;
      if (lines.length < MOST_LINES) lines.push(line);
    });
    return full;
  });
  if (empty === 0) return spool;
  await spool.remove();
  throw emptyIdentity(input.source.name, form.comparedAs.identity ?? [], empty, lines);
}
