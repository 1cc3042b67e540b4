import type { FieldPlan, PlanOrigin } from "../../fields/field-plan.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { RowProblem } from "../../model/row.ts";
import type { OpenFile } from "../../read/fd-source.ts";
import type { Inspection } from "../../read/inspect-source.ts";
import type { StreamSettings } from "../stream-records.ts";
import type { ReadOptions } from "../../read/read-options.ts";

/** What a worker needs for the second pass over an input. Plain data. */
export interface PrepareJob {
  readonly file: OpenFile;
  readonly inspection: Inspection;
  readonly read: ReadOptions;
  /** With `--no-survey`. */
  readonly stream?: StreamSettings | undefined;
  readonly origin: PlanOrigin;
  readonly footer: FieldPlan["footer"];
}

/** Records by column, which costs a third of an array of records to hand over. */
export interface PackedRecords {
  readonly lines: Float64Array;
  readonly rows: Float64Array;
  readonly ordinals: Float64Array;
  readonly sizes: Float64Array;
  readonly keys: readonly (string | undefined)[];
  readonly jsons: readonly string[];
}

/** Rows that were counted since the last message, without a survey. */
export interface CountedRows {
  readonly read: number;
  readonly skipped: number;
  readonly rejected: number;
}

/** What a worker says; it waits for an answer to each chunk beyond the first few. */
export type WorkerMessage =
  | {
      readonly kind: "chunk";
      readonly records: PackedRecords;
      readonly problems: readonly RowProblem[];
      readonly counted: CountedRows;
    }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly failure: FailureData };

/** A {@link RecPushError} as plain data. */
export type FailureData = Pick<RecPushError, "kind" | "code" | "message" | "hint" | "place">;
