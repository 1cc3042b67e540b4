/** The files of rows that rec-push writes for people. */
export type RowsKind = "rejects" | "superseded" | "changed" | "inDoubt";

const WORDS: Readonly<Record<RowsKind, string>> = {
  rejects: "_rejected",
  superseded: "_superseded",
  changed: "_changed",
  inDoubt: "_in_doubt",
};

/** All kinds of these files. */
export const ROWS_KINDS = Object.keys(WORDS) as readonly RowsKind[];

/** The columns that a file of that kind has before those of its input: a line, fields or a batch, and why. The first tells the kind. */
export function markerColumns(kind: RowsKind): readonly string[] {
  return ["line", kind === "inDoubt" ? "batch" : "field", "reason"].map((name) => `${WORDS[kind]}_${name}`);
}

/** The number of marker columns, in a file of any kind. */
export const MARKER_WIDTH = markerColumns("rejects").length;

/** The member that holds an element of JSON that was no object; a later push asks that it be written out. */
export const REJECTED_VALUE = "_rejected_value";

const NAMES: ReadonlySet<string> = new Set(ROWS_KINDS.flatMap(markerColumns));

/** True for a column that a file of rows has beside those of its input; a push leaves it out. */
export function isMarkerColumn(name: string): boolean {
  return NAMES.has(name);
}
