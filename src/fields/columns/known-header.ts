import { normaliseName } from "./column-names.ts";
import type { FieldOptions } from "../field-options.ts";
import { knownFields } from "./known-fields.ts";

/**
 * Makes the test that decides which header line is preferred: a cell names a known field, or a column that an option
 * names.
 */
export function createHeaderTest(options: FieldOptions): (cell: string) => boolean {
  const { map, drop } = options;
  const known = knownFields(options);
  const named = new Set([...map.map(({ column }) => column), ...drop].map(normaliseName));
  return (cell) => {
    const name = cell.trim();
    const normal = normaliseName(name);
    return name !== "" && (named.has(normal) || known.match({ name, normal }) !== undefined);
  };
}
