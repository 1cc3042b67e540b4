import { type FieldOptions } from "../../src/fields/field-options.ts";
import { FieldSurvey, type FieldSettlement } from "../../src/fields/survey/field-survey.ts";
import { createHeaderTest } from "../../src/fields/columns/known-header.ts";
import { compileRecords } from "../../src/fields/record/record-builder.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { PreparedRecord } from "../../src/model/record.ts";
import { inspectSource } from "../../src/read/inspect-source.ts";
import type { Source } from "../../src/read/source/open-source.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { compareWays, passThroughBytes, passThroughText, type PlannedInput } from "../support/both-ways.ts";

const STREAMS = [
  { onInvalid: "skip", keepsFooter: false },
  { onInvalid: "stop", keepsFooter: true },
] as const;

/** How a source reads, or the foreseen error that it is refused with; anything else is thrown on. */
type Outcome<T> =
  ({ readonly kind: "read" } & T) | { readonly kind: "refused"; readonly error: RecPushError };

/** What a push with `--on-invalid skip` would send. */
interface SentRecords {
  readonly found: FieldSettlement;
  readonly records: readonly PreparedRecord[];
  readonly skipped: number;
  readonly rejected: number;
}

/** Surveys a source and makes its records, as a push does; rows with problems are left out. */
export function prepareWhole(
  source: Source,
  fields: FieldOptions,
  options: ReadOptions = {},
): Promise<Outcome<SentRecords>> {
  return orRefused(async () => {
    const inspection = await inspectSource(source, { ...options, isKnownHeader: createHeaderTest(fields) });
    const survey = new FieldSurvey(inspection.reading, fields);
    for await (const chunk of readRows(source, inspection, options)) survey.addChunk(chunk);
    const found = survey.finish();
    const compile = compileRecords(found.plan);
    const records: PreparedRecord[] = [];
    let skipped = 0;
    let rejected = 0;
    for await (const chunk of readRows(source, inspection, options)) {
      const prepared = compile(chunk);
      for (const record of prepared.records) records.push(record);
      skipped += prepared.skipped;
      rejected += prepared.rejected.length + chunk.problems.length;
    }
    await checkBothWays({ source, inspection, plan: found.plan }, options);
    return { found, records, skipped, rejected };
  });
}

/** Throws where records that are made from bytes are not those that are made through text. */
async function checkBothWays(input: PlannedInput, read: ReadOptions): Promise<void> {
  for (const settings of [undefined, ...STREAMS]) {
    const stream = settings === undefined ? undefined : { ...settings, read };
    const [text, bytes] = [
      await passThroughText(input, read, stream),
      await passThroughBytes(input, read, stream),
    ];
    const difference = compareWays(text, bytes);
    if (difference !== undefined)
      throw new Error(`records through text and from bytes differ: ${difference}`);
  }
}

async function orRefused<T>(read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: "read", ...(await read()) };
  } catch (error) {
    const isForeseen = error instanceof RecPushError && (error.kind === "input" || error.kind === "usage");
    if (isForeseen) return { kind: "refused", error };
    throw error;
  }
}
