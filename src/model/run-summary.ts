import type { Counts, DoubtFile } from "./event.ts";
import type { FailureCode } from "./failure-codes.ts";
import type { RecordKind } from "./record.ts";

/** The state of a kept run. */
export interface RunSummary {
  readonly run: string;
  readonly state: "finished" | "unfinished" | "unsettled" | "abandoned";
  readonly table: string;
  readonly url: string;
  readonly file: string;
  /** ISO 8601, UTC, like all times. */
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly read: number;
  readonly counts: Counts;
  /** Records in doubt that the user said were applied; they count as accepted. */
  readonly assumedApplied: number;
  /** The exit code of the last process that worked on the run. */
  readonly exitCode: number | undefined;
  readonly reason: string;
  /** The failure that stopped that process. */
  readonly code: FailureCode | undefined;
  /** The process that is pushing it now. */
  readonly running: { readonly pid: number; readonly host: string } | undefined;
  /** The places of the records in doubt. */
  readonly doubts: readonly {
    readonly batch: number;
    readonly kind: RecordKind;
    /** The lines of the first and the last record. */
    readonly lines: readonly [first: number, last: number];
    readonly records: number;
    /** The service refused the request as a whole: it would refuse it again. */
    readonly isRefused: boolean;
  }[];
  /** For a run that was abandoned without the user giving it up: the run that took its records over. */
  readonly takenOverBy?: string | undefined;
  /** The name of what is in doubt now. */
  readonly doubt: string | undefined;
  /** The file with the rows in doubt. */
  readonly doubtFile?: Omit<DoubtFile, "run"> | undefined;
  /** Its rows that still have to be mended and pushed; `isThere`: their file is; `hasInput`: its input is, unchanged. */
  readonly rowsToMend?:
    | { readonly path: string; readonly rows: number; readonly isThere: boolean; readonly hasInput: boolean }
    | undefined;
  /** An older run of the same command, whose rows are to be sent before. */
  readonly after?: string | undefined;
  /** What has become of its file, which it needs in order to send more; `undefined` if that is still the same. */
  readonly inputNow?: "changed" | "gone" | undefined;
}
