import type { PlanParts } from "../../fields/record/field-plan.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { OpenFile } from "../../read/source/file-source.ts";
import type { Source } from "../../read/source/open-source.ts";
import type { Inspection } from "../../read/inspect-source.ts";
import type { ReadOptions } from "../../read/read-options.ts";
import type { StreamSettings } from "../stream-records.ts";
import type { PackedLayout } from "./pack-records.ts";

/** Where records are kept until somebody takes them. */
export interface Room {
  /** A file of this process, empty and open for reading and writing. */
  readonly fd: number;
  readonly maxBytes: number;
}

/** What a thread needs to make the records of an input. Plain data. */
export interface PrepareJob {
  readonly file: OpenFile;
  readonly inspection: Inspection;
  readonly read: ReadOptions;
  readonly parts: PlanParts;
  /** With `--no-survey`. */
  readonly stream?: StreamSettings;
  /** Where records go until they are asked for; without it the thread waits. */
  readonly room?: Room;
}

/** Rows that came up with a stretch and were not counted before: those of an input without survey. */
export interface CountedRows {
  readonly read: number;
  readonly skipped: number;
  readonly rejected: number;
}

/** What the thread says. */
export type FromThread =
  /** A stretch stands in the room. */
  | {
      readonly kind: "kept";
      readonly layout: PackedLayout;
      readonly counted: CountedRows;
      readonly at: number;
    }
  /** A stretch is handed over, because somebody waits for it or there is no room. */
  | {
      readonly kind: "handed";
      readonly layout: PackedLayout;
      readonly counted: CountedRows;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly failure: FailureData };

/**
 * What the thread is told: its job, once; and that somebody waits for one stretch more. From then on all are handed over,
 * and none is kept.
 */
export type ToThread = PrepareJob | "next";

/** A {@link RecPushError} as plain data. */
export type FailureData = Pick<RecPushError, "kind" | "code" | "message" | "hint" | "place">;

/** An input, how it is read, and what proves it. */
export interface InspectedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly read: ReadOptions;
}

/** What a thread needs of an input. */
export function jobOf({
  source,
  inspection,
  read,
}: InspectedInput): Pick<PrepareJob, "file" | "inspection" | "read"> {
  const { fd, name, bytes } = source;
  if (fd === undefined) throw new Error(`${name} is no open file, which a thread could read`);
  const { isKnownHeader: _, ...options } = read;
  return { file: { fd, name, bytes }, inspection, read: options };
}
