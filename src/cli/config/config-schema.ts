import { CONFIG_SHAPE } from "./config-shape.ts";
import type { Shape } from "./shape.ts";

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
