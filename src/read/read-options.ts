import type { Dialect, InputFormat } from "../model/reading.ts";
import { RecPushError } from "../model/failure.ts";

/** The reading options that the user has pinned; an option left out is settled from the content. */
export interface ReadOptions {
  readonly format?: InputFormat | undefined;
  /** The name of the sheet of a workbook; the first that holds a table unless said. */
  readonly sheet?: string | undefined;
  /** The member that holds the records, if the top level of a JSON input is an object. */
  readonly jsonPath?: string | undefined;
  /**
   * Members that are objects are replaced by their own members, `customer.email` as `customer_email`; those named here
   * stay whole, because they are left out.
   */
  readonly flatten?: readonly string[] | undefined;
  /** Names of members that the options or the config know: an object that has one is not just a wrapper of records. */
  readonly declared?: readonly string[] | undefined;
  /** Names of the members that are left out. */
  readonly dropped?: readonly string[] | undefined;
  /** As {@link parseEncoding} returns it: with `!` after it, it is used whatever the content looks like. */
  readonly encoding?: string | undefined;
  /** As {@link parseDelimiter} returns it. */
  readonly delimiter?: string | undefined;
  readonly quote?: Dialect["quote"] | undefined;
  readonly escape?: Dialect["escape"] | undefined;
  /** 1-based physical line. */
  readonly headerLine?: number | undefined;
  /** `false` for a CSV without a header. */
  readonly header?: boolean | undefined;
  /** Physical lines left out at the top. */
  readonly skipLines?: number | undefined;
  /** Rows left out at the end; blank lines do not count. */
  readonly skipFooter?: number | undefined;
  /** True if the cells that a row of a CSV lacks at its end are empty. */
  readonly shortRows?: boolean | undefined;
  /** True for a file that is complete, although its last cell looks cut. */
  readonly whole?: boolean | undefined;
  readonly comment?: string | undefined;
  readonly maxRowBytes?: number | undefined;
  /** Returns whether a cell names a known field: a line with such cells is preferred as header. */
  readonly isKnownHeader?: ((cell: string) => boolean) | undefined;
}

/** Longest row that is read by default: 1 MiB. */
export const DEFAULT_MAX_ROW_BYTES = 1_048_576;

/** Throws a usage error if two options contradict each other. */
export function checkReadOptions(options: ReadOptions): void {
  const { delimiter, quote, escape, comment, headerLine, skipLines = 0 } = options;
  if (options.header === false && headerLine !== undefined) {
    throw contradiction("--no-header and --header-line exclude each other");
  }
  if (headerLine !== undefined && headerLine <= skipLines) {
    throw contradiction(
      `--header-line ${headerLine} is among the lines that --skip-lines ${skipLines} leaves out`,
    );
  }
  if (comment !== undefined && comment !== "" && (comment === delimiter || comment === quote)) {
    throw contradiction("--comment cannot be the delimiter or the quote");
  }
  if (quote !== undefined && escape !== undefined && escape !== "\\" && escape !== quote) {
    throw contradiction("escape is the quote itself (written twice) or a backslash");
  }
}

function contradiction(message: string): RecPushError {
  return new RecPushError("contradicting-options", message);
}
