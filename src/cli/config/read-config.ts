import { RecPushError } from "../../model/failure.ts";
import { readJsonValue } from "../../read/json/json-value.ts";
import { checkShape, type ConfigMistake } from "./check-shape.ts";
import { configLines } from "./config-lines.ts";
import { CONFIG_SHAPE } from "./config-shape.ts";

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
