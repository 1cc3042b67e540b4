/** The columns that a rejects file has before those of its input; a later push leaves them out. */
export const REJECT_COLUMNS = ["_rejected_line", "_rejected_field", "_rejected_reason"] as const;

/** The member that holds an element of JSON that was no object; a later push asks that it be written out. */
export const REJECTED_VALUE = "_rejected_value";

const NAMES: ReadonlySet<string> = new Set(REJECT_COLUMNS);

/** True for a column that a rejects file adds. */
export function isRejectColumn(name: string): boolean {
  return NAMES.has(name);
}
