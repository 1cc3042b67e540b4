import { normaliseName } from "./column-names.ts";
import type { FieldOptions } from "../field-options.ts";
import type { FieldType } from "../value.ts";

/** The field that identifies a record: with it an update, without it a create. */
export const KEY_FIELD = "cle";

/** The fields that the service's specification names (its section 2), with their formats. */
export const BUILT_IN_FIELDS: ReadonlyMap<string, FieldType> = new Map([
  [KEY_FIELD, { kind: "text" }],
  ["num_commande", { kind: "digits" }],
  ["date_billed", { kind: "date" }],
  ["actual_billable_amount", { kind: "amount" }],
  ["num_invoice", { kind: "digits" }],
  ["date_closed", { kind: "date" }],
]);

/** The fields that headers are matched to: the built-in ones and the declared ones. */
export class KnownFields {
  readonly names: ReadonlySet<string>;
  readonly #byNormal = new Map<string, string | undefined>();

  constructor(declared: Iterable<string>) {
    this.names = new Set([...BUILT_IN_FIELDS.keys(), ...declared]);
    for (const name of this.names) {
      const normal = normaliseName(name);
      if (normal === "") continue;
      // If two declared fields differ only in case, a header matches them only by their exact names.
      this.#byNormal.set(normal, this.#byNormal.has(normal) ? undefined : name);
    }
  }

  /** The field that a header means: exactly, else ignoring case, accents, spaces and punctuation. */
  match({ name, normal }: { readonly name: string; readonly normal: string }): string | undefined {
    return this.names.has(name) ? name : this.#byNormal.get(normal);
  }
}

/** The fields that options and config name; naming a field declares it. */
export function knownFields({ types, fields, map, set }: FieldOptions): KnownFields {
  const typed = [...types.keys(), ...(fields?.keys() ?? [])];
  return new KnownFields([...typed, ...map.map(({ field }) => field), ...set.keys()]);
}

/** The type of a field: by option, by declaration, by its values, built in, by the pattern of its name, else text. */
export function typeOfField(field: string, { types, fields, otherTypes }: FieldOptions): FieldType {
  return types.get(field) ?? fields?.get(field)?.type ?? otherTypes?.get(field) ?? undeclaredType(field);
}

/** The type of a field that is not declared. */
export function undeclaredType(field: string): FieldType {
  const builtIn = BUILT_IN_FIELDS.get(field);
  if (builtIn !== undefined) return builtIn;
  if (/^date_./i.test(field)) return { kind: "date" };
  if (/._amount$/i.test(field)) return { kind: "amount" };
  return { kind: "text" };
}
