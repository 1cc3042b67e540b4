import type { ColumnName } from "./column-names.ts";
import { showColumn, type ColumnFault, type ColumnsPlace } from "./column-faults.ts";
import { ColumnFinder } from "./column-finder.ts";
import type { FieldOptions } from "../field-options.ts";
import { listSome } from "../list-some.ts";
import { quoteWord } from "../../model/shell-word.ts";

/** The choices of `--map`, `--drop` and `--keep` for the columns of one input, by column index. */
export interface ColumnChoices {
  readonly mapped: ReadonlyMap<number, string>;
  readonly dropped: ReadonlySet<number>;
  /** `undefined` if all are kept. */
  readonly kept: ReadonlySet<number> | undefined;
  /** Names in `--keep` that are not headers: each must be a field, or is wrong. */
  readonly keptFields: readonly string[];
  readonly faults: readonly ColumnFault[];
}

/** Finds the columns that the options name. A name that is not found, or means several columns, is a fault. */
export function chooseColumns(
  columns: readonly ColumnName[],
  { map, drop, keep, configColumns }: Pick<FieldOptions, "map" | "drop" | "keep" | "configColumns">,
  place: ColumnsPlace,
): ColumnChoices {
  const references = [...map.map((rule) => rule.column), ...drop, ...keep];
  const finder = new ColumnFinder(columns, place.noun === "column", references);
  const faults: ColumnFault[] = [];
  const mapped = new Map<number, string>();
  const dropped = new Set<number>();
  const kept = new Set<number>();
  const keptFields: string[] = [];

  for (const { column: reference, field } of map) {
    const option = `--map ${quoteWord(`${reference}=${field}`)}`;
    const found = finder.find(reference);
    if (found.length === 0 && configColumns?.has(reference) === true) continue;
    if (found.length === 0) faults.push(unknownColumn(option, reference, finder, place));
    else if (found.length > 1) faults.push(severalColumns(option, found, place));
    else if (mapped.has(found[0]!.index)) faults.push(mappedTwice(option, found[0]!, place));
    else mapped.set(found[0]!.index, field);
  }
  for (const reference of drop) {
    const option = `--drop ${quoteWord(reference)}`;
    const found = finder.find(reference);
    if (found.length === 0 && configColumns?.has(reference) === true) continue;
    if (found.length === 0) faults.push(unknownColumn(option, reference, finder, place));
    else if (hasSeveralNames(found)) faults.push(severalColumns(option, found, place));
    for (const column of found) {
      if (mapped.has(column.index)) faults.push(mappedAndDropped(option, column, place));
      dropped.add(column.index);
    }
  }
  for (const reference of keep) {
    const found = finder.find(reference);
    if (found.length === 0) keptFields.push(reference);
    else if (hasSeveralNames(found))
      faults.push(severalColumns(`--keep ${quoteWord(reference)}`, found, place));
    for (const column of found) kept.add(column.index);
  }
  return { mapped, dropped, kept: keep.length === 0 ? undefined : kept, keptFields, faults };
}

/** The fault of an option that names no column of the input, with the headers that resemble its name. */
export function unknownColumn(
  option: string,
  reference: string,
  finder: ColumnFinder,
  place: ColumnsPlace,
): ColumnFault {
  const near = finder.near(reference).map((column) => showColumn(column, place));
  return {
    kind: "usage",
    code: "unknown-column",
    text: `${option}: there is no such ${place.noun}${near.length > 0 ? `, but ${near.join(", ")}` : ""}`,
    remark: `correct the option, or leave it out; files with other ${place.noun}s are pushed by a command of their own`,
  };
}

function hasSeveralNames(found: readonly ColumnName[]): boolean {
  return found.some((column) => column.name !== found[0]!.name);
}

function severalColumns(option: string, found: readonly ColumnName[], place: ColumnsPlace): ColumnFault {
  const columns = listSome(
    found.map((column) => showColumn(column, place)),
    " and ",
  );
  return {
    kind: "usage",
    code: "ambiguous-column",
    text: `${option} could mean ${columns}`,
    remark: place.noun === "column" ? "name the column by its position" : "write the name exactly",
  };
}

function mappedTwice(option: string, column: ColumnName, place: ColumnsPlace): ColumnFault {
  const text = `${option}: another --map already sends ${showColumn(column, place)} to a field`;
  return { kind: "usage", code: "mapped-twice", text, remark: "leave one of them out" };
}

function mappedAndDropped(option: string, column: ColumnName, place: ColumnsPlace): ColumnFault {
  const text = `${option}: a --map sends ${showColumn(column, place)} to a field`;
  return { kind: "usage", code: "mapped-and-dropped", text, remark: "leave one of them out" };
}
