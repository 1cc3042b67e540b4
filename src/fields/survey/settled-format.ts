import type { FormatSpec } from "../record/format-spec.ts";

/** The settled format of one column, for its reader and for messages. */
export interface SettledFormat {
  /** `DD/MM/YYYY`, `decimal comma`; `undefined` if nothing had to be settled. */
  readonly format: string | undefined;
  /** `line 412 "26/03/2024"`, `--date-format`, `the column date_closed`; `undefined` likewise. */
  readonly settledBy: string | undefined;
  /** True if another month's file of the same kind might read otherwise. */
  readonly inferred: boolean;
  readonly spec: FormatSpec;
}
