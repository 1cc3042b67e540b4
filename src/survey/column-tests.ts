import { normaliseName } from "../fields/columns/column-names.ts";
import { createHeaderTest } from "../fields/columns/known-header.ts";
import { KnownFields, typeOfField } from "../fields/columns/known-fields.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import { trimSpaces } from "../fields/spaces.ts";
import { collectEvidence } from "../fields/survey/settle.ts";
import type { ReadOptions } from "../read/read-options.ts";

/** The tests that the options for columns and fields give to the search for a CSV's header. */
export function columnTests(
  fields: FieldOptions,
): Pick<Required<ReadOptions>, "isKnownHeader" | "typeOf" | "isDropped"> {
  const known = new KnownFields([...(fields.fields?.keys() ?? []), ...fields.types.keys()]);
  const mapped = new Map(fields.map.map(({ column, field }) => [normaliseName(column), field]));
  const dropped = new Set(fields.drop.map((reference) => reference.trim()));
  const nulls = new Set(fields.nulls);
  return {
    isKnownHeader: createHeaderTest(fields),
    isDropped: (position) => dropped.has(position),
    typeOf(header) {
      const name = trimSpaces(header);
      const normal = normaliseName(name);
      const field = mapped.get(normal) ?? known.match({ name, normal });
      const type = field === undefined ? undefined : typeOfField(field, fields);
      if (type === undefined || type.kind === "text") return undefined;
      const evidence = collectEvidence(type, fields.pins, field);
      return (cell) => nulls.has(trimSpaces(cell)) || evidence.add(cell, 0) === undefined;
    },
  };
}
