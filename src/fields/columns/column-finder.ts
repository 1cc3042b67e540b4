import { isRejectColumn } from "../../model/reject-columns.ts";
import { countEdits } from "./near-miss.ts";
import { normaliseName, type ColumnName } from "./column-names.ts";

const MOST_NEAR_HEADERS = 5;

/**
 * Finds the columns that an option names: by exact header, else by normalised header, else by 1-based position. A
 * header that another option names exactly is left to that option.
 */
export class ColumnFinder {
  readonly #columns: readonly ColumnName[];
  readonly #takesPositions: boolean;

  readonly #references: ReadonlySet<string>;

  constructor(columns: readonly ColumnName[], takesPositions: boolean, references: Iterable<string> = []) {
    this.#columns = columns;
    this.#takesPositions = takesPositions;
    this.#references = new Set(references);
  }

  /** Several columns only where they have one name; none where nothing is called so. */
  find(reference: string): readonly ColumnName[] {
    const exact = this.#columns.filter((column) => column.name === reference);
    if (exact.length > 0) return exact;
    const normal = normaliseName(reference);
    const isAlike = (column: ColumnName): boolean =>
      column.normal === normal && !this.#references.has(column.name);
    const alike = normal === "" ? [] : this.#columns.filter(isAlike);
    if (alike.length > 0) return alike;
    if (!this.#takesPositions || !/^[0-9]+$/.test(reference)) return [];
    return this.#columns.filter(
      ({ name, position }) => position === Number(reference) && !isRejectColumn(name),
    );
  }

  /** The columns whose headers look most like a text, the nearest first; all of a small file where none does. */
  near(text: string): readonly ColumnName[] {
    const wanted = normaliseName(text);
    const named = this.#columns.filter((column) => column.normal !== "");
    const near = named
      .map((column) => ({ column, edits: distance(column.normal, wanted) }))
      .filter(({ edits }) => edits <= 2)
      .toSorted((left, right) => left.edits - right.edits)
      .map(({ column }) => column);
    const shown = near.length > 0 || named.length > MOST_NEAR_HEADERS ? near : named;
    return shown.slice(0, MOST_NEAR_HEADERS);
  }
}

// A name inside the other is as near as one edit: `montant` and `montant ht`.
function distance(left: string, right: string): number {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 3 && long.includes(short) ? 1 : countEdits(left, right);
}
