import { isIdentifier } from "../../fields/columns/column-faults.ts";
import { parseTypes } from "../../fields/field-rule-texts.ts";
import { RecPushError } from "../../model/failure.ts";
import { badOptionValue, quoteText, showText } from "../../model/text.ts";
import type { ConfigKey } from "../../options/declaration.ts";
import { nameType, spellValue } from "../../options/program-values.ts";
import { readOption } from "../../options/read-values.ts";
import { TABLE } from "../../options/table.ts";
import { SECRET_PLACE, TOKEN_PLACE } from "../../options/target.ts";
import { readJsonValue } from "../../read/json/json-members.ts";

/** A service in a config, as written: values by the names of options. */
export type ProfileSection = Readonly<Record<string, unknown>> & { readonly url?: string };

/** The section of a table: values by the names of options, and `fields`. */
export type TableSection = Readonly<Record<string, unknown>>;

/** A config without mistakes. */
export interface Config {
  readonly profiles?: Readonly<Record<string, ProfileSection>>;
  readonly tables?: Readonly<Record<string, TableSection>>;
}

/** Parses a config's text. Throws a usage error for the first mistake in it. */
export function readConfig(text: string, path: string): Config {
  return checkConfig(parseConfig(text, path), path);
}

/** Parses the JSON of a config. Throws a usage error with line and column of a mistake. */
export function parseConfig(text: string, path: string): unknown {
  try {
    return readJsonValue(text, path);
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { message, place, cause } = error;
    throw new RecPushError("bad-config", message, {
      hint: "a config is plain JSON: text in double quotes, no comments, no comma before } or ]",
      place,
      cause,
    });
  }
}

/** Checks a JSON value as a config. Throws a usage error for the first mistake in it. */
export function checkConfig(value: unknown, file: string): Config {
  try {
    checkTop(value);
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    throw new RecPushError("bad-config", `${file}: ${error.message}`, { place: { file } });
  }
  return value as Config;
}

/** A mistake at a place of a config. It does not repeat a value that may be secret. */
function mistake(path: string, text: string): RecPushError {
  return new RecPushError("bad-config", path === "" ? text : `${path}: ${text}`);
}

/** Throws a mistake in a value at a place. */
type Check = (value: unknown, path: string) => void;

function checkTop(value: unknown): void {
  const [inProfile, inTable, inField] = [checksIn("profile"), checksIn("table"), checksIn("field")];
  const fields: Check = (value, path) =>
    checkEach(value, path, (rules, place, field) => {
      checkKeys(rules, place, inField);
      attempt(place, () => checkField(field, rules, place));
    });
  checkKeys(value, "", {
    profiles: (value, path) =>
      checkEach(value, path, (profile, place) => checkKeys(profile, place, inProfile)),
    tables: (value, path) =>
      checkEach(value, path, (table, place) => checkKeys(table, place, { ...inTable, fields })),
  });
}

/** Names under which people look for a place for a secret. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...["token", "accessToken", "access_token"].map((name) => [name, TOKEN_PLACE] as const),
  ["clientSecret", SECRET_PLACE],
]);

/** The checks of the keys with the meaning of options: a value is right if the option takes it. */
function checksIn(place: ConfigKey["place"]): Readonly<Record<string, Check>> {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration }) =>
      declaration.config
        .filter((key) => key.place === place)
        .map(({ key = name, form = declaration.form }): [string, Check] => [
          key,
          (value, path) => attempt(path, () => readOption(spellValue(value, form, path), form, path)),
        ]),
    ),
  );
}

function wrongType(path: string, wanted: string, value: unknown): RecPushError {
  return mistake(path, `expected ${wanted}, not ${nameType(value)}`);
}

/** Values by names that the user chooses. */
function checkEach(
  value: unknown,
  path: string,
  check: (member: unknown, path: string, name: string) => void,
): void {
  if (!isObject(value)) throw wrongType(path, "an object", value);
  for (const [name, member] of Object.entries(value)) check(member, joinPath(path, name), name);
}

/** Values by fixed names; any other name is a mistake. */
function checkKeys(value: unknown, path: string, known: Readonly<Record<string, Check>>): void {
  checkEach(value, path, (member, place, name) => {
    if (Object.hasOwn(known, name)) return known[name]!(member, place);
    throw mistake(place, REFUSED.get(name) ?? `unknown key; known here: ${Object.keys(known).join(", ")}`);
  });
}

function checkField(field: string, rules: unknown, path: string): void {
  if (!isIdentifier(field))
    throw badOptionValue("the field", field, "a letter or _ and then letters, digits and _ only");
  const { type } = rules as { readonly type?: string };
  if (type !== undefined) parseTypes([`${field}=${type}`], path);
}

/** Throws the failure of a check as a mistake at a place. */
function attempt(path: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { message, hint } = error;
    // Some messages begin with the option's name, which is the path here.
    const said = message.startsWith(path) ? message.slice(path.length).replace(/^:? /, "") : message;
    throw mistake(path, hint === undefined ? said : `${said}; ${hint}`);
  }
}

/** The path of a member, as mistakes name it. */
function joinPath(path: string, name: string): string {
  const shown = /^[\w$]+$/.test(name) ? name : quoteText(showText(name, 60));
  return path === "" ? shown : `${path}.${shown}`;
}

/** True for a JSON object. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
