import { isIdentifier } from "../../fields/columns/column-faults.ts";
import { parseTypes } from "../../fields/field-rule-texts.ts";
import { RecPushError } from "../../model/failure.ts";
import { badOptionValue, quoteText, showText } from "../../model/text.ts";
import type { ConfigKey, Form } from "../../options/declaration.ts";
import { nameType, spellValue } from "../../options/program-values.ts";
import { readOption } from "../../options/read-values.ts";
import { SECRET_PLACE, TOKEN_PLACE } from "../../options/target.ts";
import { readJsonValue } from "../../read/json/json-members.ts";
import { nearestWord } from "../nearest-word.ts";
import { keysIn } from "./config-schema.ts";

/** A service in a config, as written: values by the names of options. */
export type ProfileSection = Readonly<Record<string, unknown>> & { readonly url?: string };

/** The section of a table: values by the names of options, and `fields`. */
export type TableSection = Readonly<Record<string, unknown>>;

/** A config without mistakes. */
export interface Config {
  readonly $schema?: string;
  readonly profiles?: Readonly<Record<string, ProfileSection>>;
  readonly defaultProfile?: string;
  readonly tables?: Readonly<Record<string, TableSection>>;
  /** The table for a command that names none. */
  readonly defaultTable?: string;
}

/** Parses a config's text. Throws a usage error that lists every mistake in it. */
export function readConfig(text: string, path: string): Config {
  return checkConfig(parseConfig(text, path), path);
}

/** Parses the JSON of a config. Throws a usage error with line and column of a mistake. */
export function parseConfig(text: string, path: string): unknown {
  try {
    return readJsonValue(text, path);
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { code, message, place, cause } = error;
    const hint = "a config is plain JSON: text in double quotes, no comments, no comma before } or ]";
    throw new RecPushError("usage", "config-json", message, {
      hint: code === "json-syntax" ? hint : undefined,
      place,
      cause,
    });
  }
}

/** Checks a JSON value as a config. Throws a usage error that lists every mistake in it. */
export function checkConfig(value: unknown, path: string): Config {
  const mistakes = findMistakes(value);
  if (mistakes.length === 0) mistakes.push(...contradictions(value as Config));
  if (mistakes.length === 0) return value as Config;
  throw refuse(mistakes, path);
}

/** At most one of each line may be given. */
const SECRET_PLACES = [
  ["tokenFile", "tokenCommand"],
  ["clientSecretFile", "clientSecretCommand"],
] as const;

function contradictions(config: Config): ConfigMistake[] {
  const { profiles = {}, defaultProfile, tables = {}, defaultTable } = config;
  const mistakes: ConfigMistake[] = [];
  const refuseStray = (key: string, name: string | undefined, noun: string, all: object): void => {
    if (name === undefined || Object.hasOwn(all, name)) return;
    const known = Object.keys(all).join(", ");
    const others = known === "" ? "" : `; the ${noun}s are ${known}`;
    mistakes.push({ path: key, text: `there is no such ${noun}${others}` });
  };
  const refuseBoth = (path: string, names: readonly string[]): void => {
    if (names.length < 2) return;
    mistakes.push({ path, text: `${names[0]} and ${names[1]} exclude each other: leave one of them out` });
  };
  refuseStray("defaultProfile", defaultProfile, "profile", profiles);
  refuseStray("defaultTable", defaultTable, "table", tables);
  for (const [name, profile] of Object.entries(profiles))
    for (const places of SECRET_PLACES)
      refuseBoth(
        `profiles.${name}`,
        places.filter((place) => profile[place] !== undefined),
      );
  for (const [name, { header, headerLine }] of Object.entries(tables))
    if (header === false && headerLine !== undefined)
      refuseBoth(`tables.${name}`, ["header false", "headerLine"]);
  return mistakes;
}

function refuse(mistakes: readonly ConfigMistake[], file: string): RecPushError {
  const texts = mistakes.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
  const message =
    texts.length === 1
      ? `${file}: ${texts[0]}`
      : `${file}: ${texts.length} mistakes\n${texts.map((text) => `  ${text}`).join("\n")}`;
  return new RecPushError("usage", "config-mistake", message, { place: { file } });
}

/** A mistake in a config, with its place. It does not repeat a value that may be secret. */
interface ConfigMistake {
  readonly path: string;
  readonly text: string;
}

/** Finds the mistakes in a value at a place. */
type Check = (value: unknown, path: string) => ConfigMistake[];

/** Finds the mistakes in a config, in the order of the file. */
export function findMistakes(value: unknown): ConfigMistake[] {
  const text: Check = (value, path) => (typeof value === "string" ? [] : wrongType(path, "a text", value));
  const [inProfile, inTable, inField] = [checksIn("profile"), checksIn("table"), checksIn("field")];
  const ofToken = { token: TOKEN_PLACE, accessToken: TOKEN_PLACE, access_token: TOKEN_PLACE };
  const ofProfile = { ...notHere(inProfile, IN_A_PROFILE), token: TOKEN_PLACE };
  const fields: Check = (value, path) =>
    checkEach(value, path, (rules, place, field) => {
      const mistakes = checkKeys(rules, place, inField);
      return mistakes.length > 0 ? mistakes : attempt(place, () => checkField(field, rules, place));
    });
  return checkKeys(
    value,
    "",
    {
      $schema: text,
      profiles: (value, path) =>
        checkEach(value, path, (profile, place) =>
          checkKeys(profile, place, inProfile, { ...ofToken, clientSecret: SECRET_PLACE }),
        ),
      defaultProfile: text,
      defaultTable: text,
      tables: (value, path) =>
        checkEach(value, path, (table, place) => checkKeys(table, place, { ...inTable, fields }, ofProfile)),
    },
    { ...ofProfile, ...notHere(inTable, IN_A_TABLE) },
  );
}

const IN_A_PROFILE =
  'unknown key; where the records go is in a profile, "profiles": {"NAME": {...}}, of your own config (rec-push help config)';
const IN_A_TABLE = 'unknown key; it belongs to a table: "tables": {"NAME": {...}}';

/** What to say of keys that another part of the config has. */
function notHere(keys: object, text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, text]));
}

/** The checks of the keys with the meaning of options: a value is right if the option takes it. */
function checksIn(place: ConfigKey["place"]): Readonly<Record<string, Check>> {
  const keys = Object.entries(keysIn(place));
  return Object.fromEntries(
    keys.map(([name, { form }]) => [name, (value: unknown, path: string) => checkValue(value, form, path)]),
  );
}

function checkValue(value: unknown, form: Form<unknown>, path: string): ConfigMistake[] {
  const read = (value: unknown, path: string): ConfigMistake[] =>
    attempt(path, () => readOption(spellValue(value, form, path), form, path));
  if (form.kind !== "texts") return read(value, path);
  if (form.items.kind === "pairs")
    return checkEach(value, path, (member, place, name) => read({ [name]: member }, place));
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const wrong = items.flatMap((item, at) =>
    typeof item === "string" ? [] : wrongType(`${path}[${at}]`, "a text", item),
  );
  return wrong.length > 0 ? wrong : read(value, path);
}

function wrongType(path: string, wanted: string, value: unknown): ConfigMistake[] {
  return [{ path, text: `expected ${wanted}, not ${nameType(value)}` }];
}

/** Values by names that the user chooses. */
function checkEach(
  value: unknown,
  path: string,
  check: (member: unknown, path: string, name: string) => ConfigMistake[],
): ConfigMistake[] {
  if (!isObject(value)) return wrongType(path, "an object", value);
  return Object.entries(value).flatMap(([name, member]) => check(member, joinPath(path, name), name));
}

/** Values by fixed names; any other name is a mistake, and `refused` says more about some of them. */
function checkKeys(
  value: unknown,
  path: string,
  known: Readonly<Record<string, Check>>,
  refused: Readonly<Record<string, string>> = {},
): ConfigMistake[] {
  return checkEach(value, path, (member, place, name) => {
    if (Object.hasOwn(known, name)) return known[name]!(member, place);
    const why = Object.hasOwn(refused, name) ? refused[name] : undefined;
    return [{ path: place, text: why ?? `unknown key${nearest(name, Object.keys(known))}` }];
  });
}

function checkField(field: string, rules: unknown, path: string): void {
  if (!isIdentifier(field))
    throw badOptionValue("the field", field, "a letter or _ and then letters, digits and _ only");
  const { type } = rules as { readonly type?: string };
  if (type !== undefined) parseTypes([`${field}=${type}`], path);
}

function attempt(path: string, check: () => unknown): ConfigMistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { message, hint } = error;
    // Some messages begin with the option's name, which is the path here.
    const said = message.startsWith(path) ? message.slice(path.length).replace(/^:? /, "") : message;
    return [{ path, text: hint === undefined ? said : `${said}; ${hint}` }];
  }
}

function nearest(name: string, known: readonly string[]): string {
  const best = nearestWord(name, known);
  return best === undefined ? `; known here: ${known.join(", ")}` : `; did you mean "${best}"?`;
}

/** The path of a member, as mistakes name it. */
function joinPath(path: string, name: string): string {
  const shown = /^[\w$]+$/.test(name) ? name : quoteText(showText(name, 60));
  return path === "" ? shown : `${path}.${shown}`;
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
