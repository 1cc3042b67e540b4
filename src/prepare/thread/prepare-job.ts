import type { PlanParts } from "../../fields/record/field-plan.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { OpenFile } from "../../read/source/open-file.ts";
import type { InspectionSoFar } from "../../read/inspect-source.ts";
import type { PackedLayout } from "../packed-chunk.ts";
import type { PlannedInput, PrepareOptions } from "../prepare-records.ts";

/** Where chunks are kept until they are not needed any more. */
export interface SpillFile {
  /** A file of this process, open for reading and writing, and the position behind its last byte. */
  readonly fd: number;
  readonly from: number;
  /** Its greatest size. */
  readonly maxBytes: number;
}

/** What a thread needs to make records. Plain data. */
export interface PrepareJob {
  readonly file: OpenFile;
  readonly inspection: InspectionSoFar;
  readonly parts: PlanParts;
  readonly options: PrepareOptions;
  /** Where chunks are kept until one is asked for; without it the thread waits. */
  readonly spill?: SpillFile;
  /** True if the thread stays after the end, for the next input. */
  readonly isFollowed: boolean;
}

/** Messages of the thread. */
export type FromThread =
  /** A chunk is in the spill file. */
  | { readonly kind: "kept"; readonly layout: PackedLayout; readonly at: number; readonly end: number }
  /** There is no room to keep another chunk as long as all those before are needed. */
  | { readonly kind: "full" }
  /** A chunk is handed over because it was asked for, or because there is no room to keep it. */
  | { readonly kind: "handed"; readonly layout: PackedLayout; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly failure: FailureData };

/**
 * Messages to the thread: a job, then requests for one more chunk each, after the first of which it keeps no more
 * chunks, and the positions of kept chunks and the memory of chunks handed over whose records are all settled. The next job comes
 * after the end of the one before.
 */
export type ToThread =
  PrepareJob | "next" | { readonly freed: readonly number[] } | { readonly memory: ArrayBuffer };

/** A {@link RecPushError} as plain data. */
export type FailureData = Pick<RecPushError, "kind" | "code" | "message" | "hint" | "place">;

/** The job to prepare an input. */
export function jobOf(
  { source: { fd, name, bytes }, inspection }: Omit<PlannedInput, "plan">,
  parts: PlanParts,
  { read, ...options }: PrepareOptions,
): Omit<PrepareJob, "spill" | "isFollowed"> {
  if (fd === undefined) throw new Error(`${name} is not an open file that a thread could read`);
  // Functions cannot be passed to another thread, and the header has been found already.
  const { isKnownHeader: _1, typeOf: _2, isDropped: _3, ...plain } = read;
  return { file: { fd, name, bytes }, inspection, parts, options: { ...options, read: plain } };
}
