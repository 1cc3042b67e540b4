/** The files of rows that rec-push writes for people. */
export type RowsKind = "rejects" | "superseded" | "changed" | "inDoubt";

const WORDS: Readonly<Record<RowsKind, string>> = {
  rejects: "_rejected",
  superseded: "_superseded",
  changed: "_changed",
  inDoubt: "_in_doubt",
};

/** All kinds of such files. */
export const ROWS_KINDS: readonly RowsKind[] = Object.keys(WORDS) as readonly RowsKind[];

/**
 * The columns that a file of that kind has before those of its input: a line, fields or a batch, and a reason. The name
 * of the first column gives the kind.
 */
export function markerColumns(kind: RowsKind): readonly string[] {
  return ["line", kind === "inDoubt" ? "batch" : "field", "reason"].map((name) => `${WORDS[kind]}_${name}`);
}

/** The number of marker columns, in a file of any kind. */
export const MARKER_WIDTH: number = markerColumns("rejects").length;

/** The member that holds a JSON element that was not an object; a later push asks for it to be written out. */
export const REJECTED_VALUE = "_rejected_value";

const NAMES: ReadonlySet<string> = new Set(ROWS_KINDS.flatMap(markerColumns));

/** True for a column that a file of rows has in addition to those of its input; a push leaves it out. */
export function isMarkerColumn(name: string): boolean {
  return NAMES.has(name);
}
