import { isMarkerColumn } from "../../model/marker-columns.ts";
import { countEdits } from "./near-miss.ts";
import { normaliseName, type ColumnName } from "./column-names.ts";

const MOST_NEAR_HEADERS = 5;
/** If more options than this name no column, they were written for another file. */
const MOST_ANSWERED = 20;

/**
 * Finds the columns that an option names: by exact header, else by normalised header, else by 1-based position. A
 * header that another option names exactly is left to that option.
 */
export class ColumnFinder {
  readonly #columns: readonly ColumnName[];
  readonly #takesPositions: boolean;
  readonly #named: ReadonlySet<string>;
  /** Made for the first option that names a column: most commands have none. */
  #groups: ColumnGroups | undefined;
  #answered = 0;

  constructor(columns: readonly ColumnName[], takesPositions: boolean, references: Iterable<string> = []) {
    this.#columns = columns;
    this.#takesPositions = takesPositions;
    this.#named = new Set(references);
  }

  /** Several columns only if these have the same name; none if there is no such name. */
  find(reference: string): readonly ColumnName[] {
    this.#groups ??= groupColumns(this.#columns, this.#named);
    const { byName, byNormal, byPosition } = this.#groups;
    const named = byName.get(reference) ?? byNormal.get(normaliseName(reference));
    if (named !== undefined) return named;
    if (!this.#takesPositions || !/^[0-9]+$/.test(reference)) return [];
    return byPosition.get(Number(reference)) ?? [];
  }

  /**
   * The columns whose headers most resemble a text, the closest first; if none does, all columns of a small file. Only
   * the first questions get an answer, because each one looks at every column.
   */
  near(text: string): readonly ColumnName[] {
    if (this.#answered++ >= MOST_ANSWERED) return [];
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

/** Columns by what an option may call them. */
interface ColumnGroups {
  readonly byName: ReadonlyMap<string, readonly ColumnName[]>;
  readonly byNormal: ReadonlyMap<string, readonly ColumnName[]>;
  readonly byPosition: ReadonlyMap<number, readonly ColumnName[]>;
}

function groupColumns(columns: readonly ColumnName[], named: ReadonlySet<string>): ColumnGroups {
  return {
    byName: group(columns, ({ name }) => name),
    byNormal: group(columns, ({ name, normal }) => (normal === "" || named.has(name) ? undefined : normal)),
    byPosition: group(columns, ({ name, position }) => (isMarkerColumn(name) ? undefined : position)),
  };
}

/** Groups the columns by key; a column without a key is left out. */
function group<K>(
  columns: readonly ColumnName[],
  key: (column: ColumnName) => K | undefined,
): ReadonlyMap<K, readonly ColumnName[]> {
  const groups = new Map<K, ColumnName[]>();
  for (const column of columns) {
    const at = key(column);
    if (at === undefined) continue;
    const alike = groups.get(at);
    if (alike === undefined) groups.set(at, [column]);
    else alike.push(column);
  }
  return groups;
}

// A name that is part of the other counts as one edit away: `montant` and `montant ht`.
function distance(left: string, right: string): number {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 3 && long.includes(short) ? 1 : countEdits(left, right);
}
