import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/cli/config/config-schema.ts";
import { findMistakes } from "../../../src/cli/config/read-config.ts";
import type { ConfigKey } from "../../../src/options/declaration.ts";
import { TABLE } from "../../../src/options/table.ts";

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly items?: Schema;
}

/** Validates by JSON Schema (draft 7), for the keywords that the schema uses. */
function isValid(value: unknown, schema: Schema): boolean {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (schema.type !== undefined && ![schema.type].flat().includes(type)) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (Array.isArray(value))
    return value.every((item) => schema.items === undefined || isValid(item, schema.items));
  if (type !== "object") return true;
  return Object.entries(value as object).every(([key, member]) => {
    const of =
      schema.properties !== undefined && Object.hasOwn(schema.properties, key)
        ? schema.properties[key]
        : undefined;
    if (of !== undefined) return isValid(member, of);
    return schema.additionalProperties !== false && isValid(member, schema.additionalProperties ?? {});
  });
}

/** Values of every type, right for some keys. */
const VALUES = [null, true, 7, "x", "csv", "5", [], ["a"], [1], {}, { a: "b" }, { a: 1 }, { nonsense: {} }];
const at = {
  top: (value: unknown) => value,
  tables: (value: unknown) => ({ tables: value }),
  profiles: (value: unknown) => ({ profiles: value }),
  table: (value: unknown) => ({ tables: { t: value } }),
  profile: (value: unknown) => ({ profiles: { p: value } }),
  field: (value: unknown) => ({ tables: { t: { fields: { f: value } } } }),
} as const;

/** True for a mistake that a schema can see: a key, a type, a text that is none of those listed. */
function isOfStructure({ text }: { readonly text: string }): boolean {
  return /^unknown key|^a (?:token|client secret) must not|^expected .*, not (?:a|an|null|true|false)\b/.test(
    text,
  );
}

describe("the JSON Schema of the config", () => {
  it("agrees with the validator about keys and types", () => {
    const schema = configSchema() as Schema;
    const keys = TABLE.flatMap(({ name, declaration }) => declaration.config.map(({ key = name }) => key));
    const members = [...keys, "fields", "nonsense"].flatMap((key) =>
      VALUES.map((value) => ({ [key]: value })),
    );
    for (const value of Object.values(at).flatMap((place) => [...VALUES, ...members].map(place))) {
      const mistakes = findMistakes(value);
      const isRight = isValid(value, schema);
      // Of a text the validator knows more.
      const mayBeRight = mistakes.every((mistake) => !isOfStructure(mistake));
      const mustBeRight = mistakes.length === 0;
      expect({ value, isRight }).toEqual({ value, isRight: isRight ? mayBeRight : mustBeRight });
    }
  });

  it.each<[ConfigKey["place"], string, readonly string[]]>([
    ["table", "tables", ["fields"]],
    ["profile", "profiles", []],
    ["field", "tables.*.fields", []],
  ])("has the keys that the options declare for a %s, and their descriptions", (place, path, others) => {
    const declared = TABLE.flatMap(({ name, declaration: { config, help } }) =>
      config.filter((key) => key.place === place).map(({ key }): [string, string] => [key ?? name, help]),
    );
    const steps = path.split(".");
    const outer = steps.reduce<Schema | undefined>(
      (schema, step) =>
        step === "*" ? schema?.additionalProperties || undefined : schema?.properties?.[step],
      configSchema(),
    );
    const { properties = {} }: Schema = outer?.additionalProperties || {};
    const found = Object.entries(properties).map(([key, { description = "" }]) => [key, description]);
    expect(found.filter(([key]) => !others.includes(key!))).toEqual(declared);
    expect(found).toHaveLength(declared.length + others.length);
  });

  it("lies in the package as the build wrote it", async () => {
    const path = fileURLToPath(new URL("../../../dist/config-schema.json", import.meta.url));
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(JSON.parse(JSON.stringify(configSchema())));
  });
});
