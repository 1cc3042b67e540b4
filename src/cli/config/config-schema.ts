import type { ConfigKey, Form } from "../../options/declaration.ts";
import { takesNumber } from "../../options/program-values.ts";
import { TABLE } from "../../options/table.ts";

/** A key of the config with the meaning of an option. */
interface Key {
  /** A description for people: the help of the option. */
  readonly about: string;
  readonly form: Form<unknown>;
}

/** The keys in a part of the config, in the order of the options. */
export function keysIn(place: ConfigKey["place"]): Readonly<Record<string, Key>> {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration }) =>
      declaration.config
        .filter((key) => key.place === place)
        .map(({ key = name, form = declaration.form }) => [key, { about: declaration.help, form }] as const),
    ),
  );
}

/** The JSON Schema of the config, for editors. */
export function configSchema(): object {
  const fields = named("type and rules of each field", part("field", "type and rules of one field"));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "rec-push.config.json",
    ...object("How rec-push reads files and where it pushes them", {
      $schema: text("the JSON Schema of this file, for editors"),
      profiles: named(
        "services, by the name that --profile gives; only in your own config, or one that --config or REC_PUSH_CONFIG names",
        part("profile", "one service"),
      ),
      defaultProfile: text("the profile to use without --profile"),
      defaultTable: text("the table of a command without --table, where there are several"),
      tables: named(
        "how the files of each table are read, by the name that --table gives",
        part("table", "the files of one table", { fields }),
      ),
    }),
  };
}

function part(place: ConfigKey["place"], about: string, more: object = {}): object {
  const keys = Object.entries(keysIn(place)).map(([name, key]) => [name, schemaOf(key)] as const);
  return object(about, { ...Object.fromEntries(keys), ...more });
}

function object(description: string, properties: object): object {
  return { description, type: "object", properties, additionalProperties: false };
}

/** Values by names that the user chooses. */
function named(description: string, of: object): object {
  return { description, type: "object", additionalProperties: of };
}

function text(description: string): object {
  return { description, type: "string" };
}

function schemaOf({ about: description, form }: Key): object {
  switch (form.kind) {
    case "flag":
    case "negated":
      return { description, type: "boolean" };
    case "text": {
      const values = form.values === undefined ? {} : { enum: form.values };
      return { description, type: takesNumber(form) ? ["string", "number"] : "string", ...values };
    }
    case "texts":
      return form.items.kind === "pairs"
        ? named(description, { type: "string" })
        : { description, type: "array", items: { type: "string" } };
  }
}
