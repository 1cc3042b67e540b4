import { isIdentifier } from "../../fields/columns/column-faults.ts";
import { parseTypes } from "../../fields/field-rule-texts.ts";
import { badOptionValue } from "../../model/refer-to-sheets.ts";
import type { ConfigKey, Declaration } from "../../options/declaration.ts";
import { spellValue } from "../../options/program-values.ts";
import { readText } from "../../options/read-values.ts";
import { TABLE } from "../../options/table.ts";
import { SECRET_PLACE, TOKEN_PLACE } from "../../options/target.ts";

/** The JSON Schema of the config, for editors. */
export function configSchema(): object {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "rec-push.config.json",
    ...schemaOf(CONFIG_SHAPE),
  };
}

function schemaOf(shape: Shape): object {
  const { about: description } = shape;
  switch (shape.kind) {
    case "text":
      return {
        description,
        type: shape.orNumber === true ? ["string", "number"] : "string",
        ...(shape.values === undefined ? {} : { enum: shape.values }),
      };
    case "number":
      return { description, type: "number" };
    case "flag":
      return { description, type: "boolean" };
    case "list":
      return { description, type: "array", items: { type: "string" } };
    case "map":
      return { description, type: "object", additionalProperties: schemaOf(shape.of) };
    case "object": {
      const properties = Object.entries(shape.keys).map(([key, of]) => [key, schemaOf(of)]);
      return {
        description,
        type: "object",
        properties: Object.fromEntries(properties),
        additionalProperties: false,
      };
    }
  }
}

/** The rules of fields: those of the options, and the cells that mean "no value" in one field. */
const FIELDS: MapShape = {
  kind: "map",
  about: "type and rules of each field",
  of: { kind: "object", about: "type and rules of one field", keys: keysIn("field") },
  check: checkField,
};

/** The whole config. Its keys correspond to options. */
export const CONFIG_SHAPE: ObjectShape = {
  kind: "object",
  about: "How rec-push reads files and where it pushes them",
  keys: {
    $schema: { kind: "text", about: "the JSON Schema of this file, for editors" },
    profiles: {
      kind: "map",
      about:
        "services, by the name that --profile gives; only in your own config, or one that --config or REC_PUSH_CONFIG names",
      of: {
        kind: "object",
        about: "one service",
        keys: keysIn("profile"),
        refused: {
          token: TOKEN_PLACE,
          accessToken: TOKEN_PLACE,
          access_token: TOKEN_PLACE,
          clientSecret: SECRET_PLACE,
        },
      },
    },
    defaultProfile: { kind: "text", about: "the profile to use without --profile" },
    defaultTable: { kind: "text", about: "the table of a command without --table, where there are several" },
    tables: {
      kind: "map",
      about: "how the files of each table are read, by the name that --table gives",
      of: {
        kind: "object",
        about: "the files of one table",
        keys: { ...keysIn("table"), fields: FIELDS },
        refused: { ...elsewhere("profile"), token: TOKEN_PLACE },
      },
    },
  },
  refused: { ...elsewhere("profile"), ...elsewhere("table"), token: TOKEN_PLACE },
};

/** What to say of keys that another part of the config has. */
function elsewhere(place: "profile" | "table"): Readonly<Record<string, string>> {
  const text =
    place === "profile"
      ? 'unknown key; where the records go is in a profile, "profiles": {"NAME": {...}}, of your own config (rec-push help config)'
      : 'unknown key; it belongs to a table: "tables": {"NAME": {...}}';
  return Object.fromEntries(Object.keys(keysIn(place)).map((key) => [key, text]));
}

/** The keys in a part of the config, in the order of the options. */
function keysIn(place: ConfigKey["place"]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration }) =>
      declaration.config
        .filter((key) => key.place === place)
        .map((key) => [key.key ?? name, shapeOf(key, declaration)] as const),
    ),
  );
}

function shapeOf({ shape, place }: ConfigKey, declaration: Declaration<unknown>): Shape {
  const { help: about } = declaration;
  const check = (text: string, path: string): unknown => readText(text, declaration, path);
  switch (shape.kind) {
    case "text": {
      const { form } = declaration;
      const values = form.kind === "text" || form.kind === "unwritten" ? form.values : undefined;
      const checked = {
        orNumber: shape.orNumber,
        check: shape.check === "as the option" ? check : shape.check,
      };
      return { kind: "text", about, ...checked, ...(values === undefined ? {} : { values }) };
    }
    case "number":
      return { kind: "number", about, check };
    case "flag":
      return { kind: "flag", about };
    case "list": {
      const asOption = (items: readonly string[], path: string): unknown =>
        readText(spellValue(items, declaration, path), declaration, path);
      return { kind: "list", about, ...(place === "table" ? { check: asOption } : {}) };
    }
    case "map": {
      const { check: checkPair } = shape;
      const asOption = (name: string, value: unknown, path: string): unknown => {
        const texts = spellValue({ [name]: value }, declaration, path);
        return checkPair === undefined ? readText(texts, declaration, path) : checkPair(name, String(value));
      };
      return { kind: "map", about, of: { kind: "text", about: undefined }, check: asOption };
    }
  }
}

function checkField(field: string, rules: unknown, path: string): void {
  if (!isIdentifier(field)) {
    throw badOptionValue("the field", field, "a letter or _ and then letters, digits and _ only");
  }
  const { type } = rules as { readonly type?: unknown };
  if (typeof type === "string") parseTypes([`${field}=${type}`], path);
}

/** The type of a value in the config. The validator and the JSON Schema are derived from it. */
export type Shape = TextShape | NumberShape | FlagShape | ListShape | MapShape | ObjectShape;

interface Described {
  /** A description for people, in the JSON Schema; none for a value whose map has one. */
  readonly about: string | undefined;
}

/** Parses a value as the corresponding option does. Throws a usage error for a bad value. */
type CheckText = (text: string, path: string) => unknown;

/** A text; with `orNumber` also a number, as for sizes and times. */
interface TextShape extends Described {
  readonly kind: "text";
  readonly values?: readonly string[];
  readonly orNumber?: boolean;
  readonly check?: CheckText;
}

/** A number without a unit. */
interface NumberShape extends Described {
  readonly kind: "number";
  readonly check: CheckText;
}

/** True or false. */
interface FlagShape extends Described {
  readonly kind: "flag";
}

/** A list of texts. */
export interface ListShape extends Described {
  readonly kind: "list";
  readonly check?: (texts: readonly string[], path: string) => unknown;
}

/** Values by names that the user chooses. */
export interface MapShape extends Described {
  readonly kind: "map";
  readonly of: Shape;
  readonly check?: (name: string, value: unknown, path: string) => unknown;
}

/** Values by fixed names; any other name is a mistake. */
export interface ObjectShape extends Described {
  readonly kind: "object";
  readonly keys: Readonly<Record<string, Shape>>;
  /** Names that are refused with a message of their own. */
  readonly refused?: Readonly<Record<string, string>>;
}
