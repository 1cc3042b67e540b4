import type { DeclaredField } from "../../fields/field-options.ts";
import { parseType } from "../../fields/type-text.ts";
import type { RawOptions } from "../program.ts";
import { given } from "../raw-options.ts";
import type { ProfileSection, TableSection } from "./read-config.ts";
import { TABLE_KEYS } from "./table-keys.ts";

/** A table's section as the options that would say the same; `fields` apart, which {@link sectionFields} reads. */
export function sectionOptions(section: TableSection): RawOptions {
  return Object.fromEntries(
    Object.entries(section)
      .filter(([key]) => key !== "fields")
      .map(([key, value]) => [key, asOption(key, value)]),
  );
}

function asOption(key: string, value: unknown): string | readonly string[] | boolean {
  const kind = TABLE_KEYS[key]?.kind;
  if (kind === "flag") return value === true;
  if (kind === "list") return (value as readonly string[]).map((text) => text.replaceAll(",", "\\,"));
  return kind === "map" ? pairs(value as Readonly<Record<string, string>>, "=") : String(value);
}

/** What a section declares of its fields. */
export function sectionFields(section: TableSection): ReadonlyMap<string, DeclaredField> {
  const fields = (section["fields"] ?? {}) as Readonly<Record<string, FieldSection>>;
  return new Map(
    Object.entries(fields).map(([field, { type, null: nulls, ...rules }]) => [
      field,
      { ...rules, ...given({ type: type === undefined ? undefined : parseType(type, field), nulls }) },
    ]),
  );
}

/** What is declared of fields, that which counts more first: rule by rule, but empty cells add up. */
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

/** A profile's options, but for its address and its token, which come behind the environment. */
export function profileOptions({
  dbVersion,
  dbVersionIn,
  auth,
  body,
  headers,
  query,
}: ProfileSection): RawOptions {
  return given({
    dbVersion,
    dbVersionIn,
    auth,
    body,
    httpHeader: headers === undefined ? undefined : pairs(headers, ": "),
    query: query === undefined ? undefined : pairs(query, "="),
  });
}

function pairs(values: Readonly<Record<string, string>>, sign: string): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${name}${sign}${value}`);
}
