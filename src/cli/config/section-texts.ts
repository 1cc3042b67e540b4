import type { DeclaredField } from "../../fields/field-options.ts";
import { parseType } from "../../fields/type-text.ts";
import type { OptionText, OptionTexts } from "../../model/option-texts.ts";
import { type ConfigKey, escapeCommas, type KeyShape } from "../../options/config-key.ts";
import type { Form } from "../../options/declaration.ts";
import { given } from "../../options/given.ts";
import { TABLE } from "../../options/table.ts";

/** A table's section or a profile as option texts, without the rules of fields; for these see {@link sectionFields}. */
export function sectionTexts(section: object, place: Exclude<ConfigKey["place"], "field">): OptionTexts {
  const values = section as Readonly<Record<string, unknown>>;
  return given(
    Object.fromEntries(
      TABLE.flatMap(({ name, declaration }) =>
        declaration.config
          .filter((key) => key.place === place && values[key.key ?? name] !== undefined)
          .map(({ key, shape }) => [name, spellValue(values[key ?? name], shape, declaration.form)] as const),
      ),
    ),
  );
}

function spellValue(value: unknown, shape: KeyShape, form: Form<unknown>): OptionText {
  switch (shape.kind) {
    case "flag":
      return value === true;
    case "list":
      return form.kind === "texts" && form.items.kind === "texts"
        ? (value as readonly string[])
        : escapeCommas(value as readonly string[]);
    case "map":
      return Object.entries(value as object).map(([name, of]) => `${name}${shape.sign}${String(of)}`);
    case "text":
    case "number":
      return String(value);
  }
}

/** The fields that a section declares. */
export function sectionFields(section: object): ReadonlyMap<string, DeclaredField> {
  const { fields = {} } = section as { readonly fields?: Readonly<Record<string, FieldSection>> };
  return new Map(
    Object.entries(fields).map(([field, { type, null: nulls, ...rules }]) => [
      field,
      { ...rules, ...given({ type: type === undefined ? undefined : parseType(type, field), nulls }) },
    ]),
  );
}

/**
 * Merges the declared fields of two sections rule by rule; `more` has priority, but lists of empty cells are joined.
 */
export function mergeFields(
  less: ReadonlyMap<string, DeclaredField>,
  more: ReadonlyMap<string, DeclaredField>,
): ReadonlyMap<string, DeclaredField> {
  const merged = new Map(less);
  for (const [field, rules] of more) {
    const { nulls, ...known } = merged.get(field) ?? {};
    const allNulls = nulls === undefined ? rules.nulls : [...nulls, ...(rules.nulls ?? [])];
    merged.set(field, { ...known, ...rules, ...given({ nulls: allNulls }) });
  }
  return merged;
}

interface FieldSection extends Pick<DeclaredField, "default" | "required" | "pattern" | "oneOf"> {
  readonly type?: string;
  readonly null?: readonly string[];
}
