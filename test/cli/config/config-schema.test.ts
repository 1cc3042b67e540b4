import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/cli/config/config-schema.ts";
import { findMistakes } from "../../../src/cli/config/read-config.ts";
import type { ConfigKey } from "../../../src/options/declaration.ts";
import { TABLE } from "../../../src/options/table.ts";
import { draws } from "../../support/draws.ts";

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

/** Values that fit a schema or nearly do: some have another type, an unknown key, a text that is no choice. */
function nearly(schema: Schema): fc.Arbitrary<unknown> {
  const stray = fc.constantFrom<unknown>(null, true, 7, "x", [], {}, [1], { foo: 1 });
  const { type, additionalProperties, properties = {} } = schema;
  const fitting = (): fc.Arbitrary<unknown> => {
    if (type === "boolean") return fc.boolean();
    if (type === "array") return fc.array(fc.constantFrom("a", "b"), { maxLength: 2 });
    if (type !== "object")
      return fc.constantFrom<unknown>(...(schema.enum ?? ["csv", "5"]), ...(Array.isArray(type) ? [5] : []));
    if (additionalProperties)
      return fc.dictionary(fc.constantFrom("a", "b_1"), nearly(additionalProperties), { maxKeys: 2 });
    const members = Object.entries(properties).map(([key, of]) => [key, nearly(of)] as const);
    return fc
      .record(Object.fromEntries([...members, ["nonsense", fc.constant<unknown>(1)]]), { requiredKeys: [] })
      .map((value) => Object.fromEntries(Object.entries(value).filter((_, at) => at % 5 === 0)));
  };
  return fc.oneof({ weight: 30, arbitrary: fc.constant(0).chain(fitting) }, { weight: 1, arbitrary: stray });
}

/** True for a mistake that a schema can see: a key, a type, a text that is none of those listed. */
function isOfStructure({ text }: { readonly text: string }): boolean {
  return /^unknown key|^a (?:token|client secret) must not|^expected .*, not (?:a|an|null|true|false)\b/.test(
    text,
  );
}

describe("the JSON Schema of the config", () => {
  it("agrees with the validator about keys and types", () => {
    const schema = configSchema() as Schema;
    let [valid, wrong] = [0, 0];
    fc.assert(
      fc.property(nearly(schema), (value) => {
        const mistakes = findMistakes(value);
        const isRight = isValid(value, schema);
        // Of a text the validator knows more.
        const mayBeRight = mistakes.every((mistake) => !isOfStructure(mistake));
        const mustBeRight = mistakes.length === 0;
        expect({ value, isRight }).toEqual({ value, isRight: isRight ? mayBeRight : mustBeRight });
        if (isRight) valid += 1;
        else wrong += 1;
      }),
      draws(400),
    );
    // Enough values are drawn of either kind.
    expect(Math.min(valid, wrong)).toBeGreaterThan(30);
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
