import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONFIG_SHAPE, configSchema, type Shape } from "../../../src/cli/config/config-schema.ts";
import { checkShape } from "../../../src/cli/config/read-config.ts";
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

/** The keys whose values the schema lists. */
function choicesIn(shape: Shape): string[] {
  if (shape.kind === "map") return choicesIn(shape.of);
  if (shape.kind !== "object") return [];
  return Object.entries(shape.keys).flatMap(([key, of]) =>
    of.kind === "text" && of.values !== undefined ? [key] : choicesIn(of),
  );
}

/** Values that fit a shape or nearly do: some have another type, an unknown key, a text that is no choice. */
function nearly(shape: Shape): fc.Arbitrary<unknown> {
  const stray = fc.constantFrom<unknown>(null, true, 7, "x", [], {}, [1], { foo: 1 });
  const fitting = (): fc.Arbitrary<unknown> => {
    switch (shape.kind) {
      case "text":
        return fc.constantFrom<unknown>(
          ...(shape.values ?? ["csv", "5"]),
          ...(shape.orNumber === true ? [5] : []),
        );
      case "number":
        return fc.integer({ min: 1, max: 9 });
      case "flag":
        return fc.boolean();
      case "list":
        return fc.array(fc.constantFrom("a", "b"), { maxLength: 2 });
      case "map":
        return fc.dictionary(fc.constantFrom("a", "b_1"), nearly(shape.of), { maxKeys: 2 });
      case "object":
        return fc
          .record(
            Object.fromEntries([
              ...Object.entries(shape.keys).map(([key, of]) => [key, nearly(of)]),
              ["nonsense", fc.constant(1)],
            ]),
            { requiredKeys: [] },
          )
          .map((value) => Object.fromEntries(Object.entries(value).filter((_, at) => at % 5 === 0)));
    }
  };
  return fc.oneof({ weight: 30, arbitrary: fc.constant(0).chain(fitting) }, { weight: 1, arbitrary: stray });
}

describe("the JSON Schema of the config", () => {
  it("agrees with the validator about keys and types", () => {
    const schema = configSchema() as Schema;
    const choices = new Set(choicesIn(CONFIG_SHAPE));
    let valid = 0;
    fc.assert(
      fc.property(nearly(CONFIG_SHAPE), (value) => {
        const mistakes = checkShape(value, CONFIG_SHAPE);
        const isChoice = (path: string): boolean => choices.has(path.replace(/^.*\./, ""));
        const structural = mistakes.filter(({ kind, path }) => kind !== "wrong-value" || isChoice(path));
        if (structural.length === 0) valid += 1;
        expect(isValid(value, schema)).toBe(structural.length === 0);
      }),
      { numRuns: 2000 },
    );
    // Enough values are drawn of either kind.
    expect(valid).toBeGreaterThan(100);
    expect(valid).toBeLessThan(1900);
  });

  it("names every key of the validator", () => {
    const keysOf = (shape: Shape, schema: Schema | undefined, path: string): void => {
      if (shape.kind === "map") keysOf(shape.of, schema?.additionalProperties || undefined, `${path}.*`);
      if (shape.kind !== "object") return;
      expect([path, Object.keys(schema?.properties ?? {})]).toEqual([path, Object.keys(shape.keys)]);
      for (const [key, of] of Object.entries(shape.keys))
        keysOf(of, schema?.properties?.[key], `${path}.${key}`);
    };
    keysOf(CONFIG_SHAPE, configSchema(), "");
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
