import type { FormatSpec } from "../record/format-spec.ts";

/** The settled format of one column, used by its reader and in messages. */
export interface SettledFormat {
  /** `DD/MM/YYYY`, `decimal comma`; `undefined` if nothing had to be settled. */
  readonly format: string | undefined;
  /** `line 412 "26/03/2024"`, `--date-format`, `the column date_closed`; `undefined` likewise. */
  readonly settledBy: string | undefined;
  /** True if next month's file of the same kind might be read differently. */
  readonly inferred: boolean;
  readonly spec: FormatSpec;
}
