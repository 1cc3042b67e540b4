/** The files of rows that rec-push writes for people. */
export type RowsKind = "rejects" | "inDoubt";

/**
 * The columns that a file of a kind has before those of its input; the name of the first one gives the kind.
 * `_rejected_run`, `_rejected_line`: the run that left the row, and its line in that run's file; rows that were mended in vain keep
 * them. `_later_line`: the line of the later row by which the row is overtaken.
 */
const COLUMNS: Readonly<Record<RowsKind, readonly string[]>> = {
  rejects: ["_rejected_run", "_rejected_line", "_rejected_field", "_rejected_reason", "_later_line"],
  inDoubt: ["_in_doubt_line", "_in_doubt_batch", "_in_doubt_reason"],
};

/** The first column that a rejects file has before those of its input. */
export const REJECTED_RUN = "_rejected_run";

/** The last one. */
export const LATER_LINE = "_later_line";

/** Follows the line of a later row that gives only some fields of the row. */
export const IN_PART = " (some fields)";

/** In place of such a line: there were too many rejects to look for later rows of this one. */
export const NOT_KNOWN = "not known";

/** All kinds of such files. */
export const ROWS_KINDS: readonly RowsKind[] = Object.keys(COLUMNS) as readonly RowsKind[];

/** The columns that a file of that kind has before those of its input. */
export function markerColumns(kind: RowsKind): readonly string[] {
  return COLUMNS[kind];
}

/** The member that holds a JSON element that was not an object; a later push asks for it to be written out. */
export const REJECTED_VALUE = "_rejected_value";

const NAMES: ReadonlySet<string> = new Set(Object.values(COLUMNS).flat());

/** True for a column that a file of rows has in addition to those of its input; a push leaves it out. */
export function isMarkerColumn(name: string): boolean {
  return NAMES.has(name);
}

/** How many columns a file of rows has before those of its input. */
export function countMarkers(columns: readonly string[]): number {
  const first = columns.findIndex((name) => !isMarkerColumn(name.trim()));
  return first === -1 ? columns.length : first;
}

/**
 * A table may have so many columns, in every format. A push needs about 15 kB for each: many more would take over 200 MB,
 * and so many names are data, or the file holds no records.
 */
export const MOST_COLUMNS = 2000;
