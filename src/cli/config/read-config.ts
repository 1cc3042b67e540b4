import { countEdits } from "../../fields/columns/near-miss.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteText, showText } from "../../model/refer-to-sheets.ts";
import { readJsonValue } from "../../read/json/json-value.ts";
import {
  CONFIG_SHAPE,
  type ListShape,
  type MapShape,
  type ObjectShape,
  type Shape,
} from "./config-schema.ts";

/** A service in a config, as written. */
export interface ProfileSection {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly tokenEnv?: string;
  readonly tokenCommand?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly clientSecretCommand?: string;
  readonly oauthTokenPath?: string;
  readonly proxy?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly dbVersion?: string;
  readonly dbVersionIn?: string;
  readonly auth?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

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
  return checkConfig(parseConfig(text, path), path, text);
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
      ...(code === "json-syntax" ? { hint } : {}),
      ...(place === undefined ? {} : { place }),
      cause,
    });
  }
}

/** Checks a JSON value as a config; `text` is what it was read from. Throws a usage error that lists every mistake in it, with its line. */
export function checkConfig(value: unknown, path: string, text: string): Config {
  const mistakes = checkShape(value, CONFIG_SHAPE);
  if (mistakes.length === 0) mistakes.push(...contradictions(value as Config));
  if (mistakes.length === 0) return value as Config;
  throw refuse(mistakes, path, configLines(text));
}

/** At most one of each line may be given. */
const SECRET_PLACES = [
  ["tokenFile", "tokenEnv", "tokenCommand"],
  ["clientSecretFile", "clientSecretCommand"],
] as const;

function contradictions({
  profiles = {},
  defaultProfile,
  tables = {},
  defaultTable,
}: Config): ConfigMistake[] {
  const mistakes: ConfigMistake[] = [];
  const add = (path: string, text: string): void => void mistakes.push({ kind: "wrong-value", path, text });
  if (defaultProfile !== undefined && !Object.hasOwn(profiles, defaultProfile)) {
    const known = Object.keys(profiles).join(", ");
    add("defaultProfile", `there is no such profile${known === "" ? "" : `; the profiles are ${known}`}`);
  }
  if (defaultTable !== undefined && !Object.hasOwn(tables, defaultTable)) {
    const known = Object.keys(tables).join(", ");
    add("defaultTable", `there is no such table${known === "" ? "" : `; the tables are ${known}`}`);
  }
  for (const [name, profile] of Object.entries(profiles)) {
    for (const places of SECRET_PLACES) {
      const [one, other] = places.filter((place) => profile[place] !== undefined);
      if (one !== undefined && other !== undefined)
        add(`profiles.${name}`, `${one} and ${other} exclude each other: leave one of them out`);
    }
  }
  for (const [name, { header, headerLine }] of Object.entries(tables)) {
    if (header === false && headerLine !== undefined)
      add(`tables.${name}`, "header false and headerLine exclude each other: leave one of them out");
  }
  return mistakes;
}

function refuse(
  mistakes: readonly ConfigMistake[],
  file: string,
  lines: ReadonlyMap<string, number>,
): RecPushError {
  const texts = mistakes.map(({ path, text }) => (path === "" ? text : `${path}: ${text}`));
  const [first] = mistakes.map(({ path }) => lines.get(path));
  const at = first === undefined ? {} : { line: first };
  const message =
    texts.length === 1
      ? `${file}${first === undefined ? "" : `:${first}`}: ${texts[0]}`
      : `${file}: ${texts.length} mistakes\n${mistakes.map(({ path }, at) => `  ${lineWord(lines.get(path))}${texts[at]}`).join("\n")}`;
  return new RecPushError("usage", "config-mistake", message, { place: { file, ...at } });
}

function lineWord(line: number | undefined): string {
  return line === undefined ? "" : `line ${line}: `;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The lines of the members and items of a config, by their paths as mistakes name them. The text is valid JSON. */
export function configLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** Objects and lists that are open, each with its path; a list with the place of its next item. */
  const open: { readonly path: string; item: number | undefined }[] = [];
  let name: string | undefined;
  let path = "";
  let line = 1;
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    line += text.slice(from, index).split("\n").length - 1;
    from = index;
    const holder = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      path = joinPath(holder?.path ?? "", JSON.parse(name ?? '""') as string);
      lines.set(path, line);
    } else if (token !== ",") {
      name = token;
      if (holder?.item !== undefined) {
        path = `${holder.path}[${holder.item++}]`;
        lines.set(path, line);
      }
      if (token === "{" || token === "[") open.push({ path, item: token === "[" ? 0 : undefined });
    }
  }
  return lines;
}

/** A mistake in a config, with its place. It does not repeat a value that may be secret. */
export interface ConfigMistake {
  readonly kind: "unknown-key" | "wrong-type" | "wrong-value";
  readonly path: string;
  readonly text: string;
}

/** Finds the mistakes in a value, in the order of the file. */
export function checkShape(value: unknown, shape: Shape, path = ""): ConfigMistake[] {
  switch (shape.kind) {
    case "text":
      if (typeof value === "number" && shape.orNumber === true) return checkText(value, shape.check, path);
      if (typeof value !== "string")
        return [wrongType(path, shape.orNumber ? "a text or a number" : "a text", value)];
      return checkText(value, shape.check, path);
    case "number":
      return typeof value === "number"
        ? checkText(value, shape.check, path)
        : [wrongType(path, "a number", value)];
    case "flag":
      return typeof value === "boolean" ? [] : [wrongType(path, "true or false", value)];
    case "list":
      return Array.isArray(value)
        ? checkList(value, shape, path)
        : [wrongType(path, "a list of texts", value)];
    case "map":
      return isObject(value) ? checkMap(value, shape, path) : [wrongType(path, "an object", value)];
    case "object":
      return isObject(value) ? checkObject(value, shape, path) : [wrongType(path, "an object", value)];
  }
}

function checkList(items: readonly unknown[], { check }: ListShape, path: string): ConfigMistake[] {
  const mistakes = items.flatMap((item, index) =>
    typeof item === "string" ? [] : [wrongType(`${path}[${index}]`, "a text", item)],
  );
  if (mistakes.length > 0 || check === undefined) return mistakes;
  return attempt(path, () => check(items as readonly string[], path));
}

function checkMap(
  value: Readonly<Record<string, unknown>>,
  { of, check }: MapShape,
  path: string,
): ConfigMistake[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const place = joinPath(path, name);
    const mistakes = checkShape(member, of, place);
    return mistakes.length > 0 || check === undefined
      ? mistakes
      : attempt(place, () => check(name, member, place));
  });
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  { keys, refused }: ObjectShape,
  path: string,
): ConfigMistake[] {
  return Object.entries(value).flatMap(([name, member]): ConfigMistake[] => {
    const place = joinPath(path, name);
    const shape = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (shape !== undefined) return checkShape(member, shape, place);
    const why = refused !== undefined && Object.hasOwn(refused, name) ? refused[name] : undefined;
    const text = why ?? `unknown key${nearest(name, Object.keys(keys))}`;
    return [{ kind: "unknown-key", path: place, text }];
  });
}

function checkText(
  value: string | number,
  check: ((text: string, path: string) => unknown) | undefined,
  path: string,
): ConfigMistake[] {
  return check === undefined ? [] : attempt(path, () => check(String(value), path));
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
    return [{ kind: "wrong-value", path, text: hint === undefined ? said : `${said}; ${hint}` }];
  }
}

function nearest(name: string, known: readonly string[]): string {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const [best] = known
    .map((key) => ({ key, edits: countEdits(plain(name), plain(key)) }))
    .filter(({ key, edits }) => edits <= 2 && edits < key.length)
    .toSorted((one, other) => one.edits - other.edits);
  return best === undefined ? `; known here: ${known.join(", ")}` : `; did you mean "${best.key}"?`;
}

function wrongType(path: string, wanted: string, value: unknown): ConfigMistake {
  return { kind: "wrong-type", path, text: `expected ${wanted}, not ${nameType(value)}` };
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : typeof value === "string" ? "a text" : "a number";
}

/** The path of a member, as mistakes name it. */
export function joinPath(path: string, name: string): string {
  const shown = /^[\w$]+$/.test(name) ? name : quoteText(showText(name, 60));
  return path === "" ? shown : `${path}.${shown}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
