import { dirname, resolve } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import { parseType } from "../../fields/type-text.ts";
import type { ConfigUse } from "../../model/counts.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { type ConfigKey, given } from "../../options/declaration.ts";
import { mergeTexts, readEnvironment } from "../../options/derive.ts";
import { spellValue } from "../../options/program-values.ts";
import { readValues } from "../../options/read-values.ts";
import { type OptionName, OPTIONS, type OptionValues, TABLE } from "../../options/table.ts";
import { withHeaderFiles } from "../trusted-file.ts";
import type { Io } from "../run-settings.ts";
import { loadConfigs, type LoadedConfig, ownConfigPath } from "./config-files.ts";
import type { ProfileSection, TableSection } from "./read-config.ts";

/** A command's options, merged with environment and configs. */
export interface Configured {
  readonly texts: OptionTexts;
  readonly values: OptionValues;
  /** The fields that the configs declare. */
  readonly declared: ReadonlyMap<string, DeclaredField>;
  /** The columns that only configs map or drop, by the names used there. */
  readonly configColumns: ReadonlySet<string>;
  /** The profile in use and its config, for messages. */
  readonly from: string | undefined;
  /** The configs that are used, the most important first, and which parts of them. */
  readonly uses: readonly ConfigUse[];
}

/** Reads the configs of a command and merges them below its options and the environment. Throws a usage error. */
export async function applyConfig(written: OptionTexts, io: Pick<Io, "cwd" | "env">): Promise<Configured> {
  const line = await withHeaderFiles(written);
  const environment = await withHeaderFiles(readEnvironment(io.env));
  const configs = await loadConfigs({ ...environment, ...line }, io);
  const profile = chooseProfile(configs, line, environment, io.env);
  const table = typeof line["table"] === "string" ? line["table"] : usualTable(configs);
  const sections = configs
    .map((config) => sectionOf(config, table))
    .filter((section) => section !== undefined)
    .toReversed();
  const fromConfigs = {
    ...sections.map((section) => sectionTexts(section, "table")).reduce(mergeTexts, {}),
    ...profileTexts(profile),
    ...given({ table }),
  };
  const texts = mergeTexts(mergeTexts(fromConfigs, environment), line);
  return {
    texts,
    values: readValues(texts),
    declared: sections.map(sectionFields).reduce(mergeFields, new Map<string, DeclaredField>()),
    configColumns: namedColumns(fromConfigs, line),
    from: profile && `profile ${profile.name} of ${profile.path}`,
    uses: configs.map((config) => useOf(config, table, profile)),
  };
}

function namedColumns(fromConfigs: OptionTexts, line: OptionTexts): ReadonlySet<string> {
  const typed = new Set(columnsIn(readValues(given({ map: line["map"], drop: line["drop"] }))));
  const ofConfigs = readValues(given({ map: fromConfigs["map"], drop: fromConfigs["drop"] }));
  return new Set(columnsIn(ofConfigs).filter((column) => !typed.has(column)));
}

/** The columns that options map or drop. */
export function columnsIn({ map = [], drop = [] }: OptionValues): readonly string[] {
  return [...map.map(({ column }) => column), ...drop];
}

function useOf(
  loaded: LoadedConfig,
  table: string | undefined,
  profile: ChosenProfile | undefined,
): ConfigUse {
  const { path, config } = loaded;
  return {
    path,
    tables: Object.keys(config.tables ?? {}),
    ...given({
      table: sectionOf(loaded, table) && table,
      profile: profile?.path === path ? profile.name : undefined,
    }),
  };
}

/** The only table that has a section. */
function usualTable(configs: readonly LoadedConfig[]): string | undefined {
  const [name, other] = new Set(configs.flatMap(({ config }) => Object.keys(config.tables ?? {})));
  return other === undefined ? name : undefined;
}

function sectionOf({ config }: LoadedConfig, table: string | undefined): TableSection | undefined {
  const { tables = {} } = config;
  return table !== undefined && Object.hasOwn(tables, table) ? tables[table] : undefined;
}

/** A path in a profile is relative to its config. */
function profileTexts(profile: ChosenProfile | undefined): OptionTexts {
  if (profile === undefined) return {};
  const directory = dirname(profile.path);
  const texts = Object.entries(sectionTexts(profile.section, "profile"));
  return Object.fromEntries(
    texts.map(([name, text]) => [name, isPath(name) ? resolve(directory, String(text)) : text] as const),
  );
}

function isPath(name: string): boolean {
  return OPTIONS[name as OptionName].journal === "path";
}

/** A table's section or a profile as option texts, without the rules of fields; for these see {@link sectionFields}. */
export function sectionTexts(section: object, place: Exclude<ConfigKey["place"], "field">): OptionTexts {
  const values = section as Readonly<Record<string, unknown>>;
  return given(
    Object.fromEntries(
      TABLE.flatMap(({ name, declaration }) =>
        declaration.config
          .filter((key) => key.place === place && values[key.key ?? name] !== undefined)
          .map(({ key = name }) => [name, spellValue(values[key], declaration.form, key)] as const),
      ),
    ),
  );
}

/** The fields that a section declares. */
function sectionFields(section: object): ReadonlyMap<string, DeclaredField> {
  const { fields = {} } = section as { readonly fields?: Readonly<Record<string, FieldSection>> };
  return new Map(
    Object.entries(fields).map(([field, { type, ...rules }]) => [
      field,
      { ...rules, ...given({ type: type === undefined ? undefined : parseType(type, field) }) },
    ]),
  );
}

/** Merges the declared fields of two sections rule by rule; `more` has priority. */
function mergeFields(
  less: ReadonlyMap<string, DeclaredField>,
  more: ReadonlyMap<string, DeclaredField>,
): ReadonlyMap<string, DeclaredField> {
  const merged = new Map(less);
  for (const [field, rules] of more) merged.set(field, { ...merged.get(field), ...rules });
  return merged;
}

interface FieldSection extends Pick<DeclaredField, "default" | "required" | "pattern" | "oneOf"> {
  readonly type?: string;
}

/** The profile that is used. */
interface ChosenProfile {
  readonly name: string;
  /** The config that has it. */
  readonly path: string;
  readonly section: ProfileSection;
}

/**
 * The profile that `--profile` names, else the default or only profile of the most important config that has any. A
 * profile comes entirely from one config, so that its token goes to its own URL. A profile that was not named is
 * ignored if the command has another URL. Throws a usage error.
 */
function chooseProfile(
  configs: readonly LoadedConfig[],
  line: OptionTexts,
  environment: OptionTexts,
  env: Io["env"],
): ChosenProfile | undefined {
  const { profile: asked } = line;
  const profile = asked === undefined ? defaultProfile(configs) : namedProfile(configs, String(asked), env);
  const own = profile?.section.url;
  const other = line["url"] ?? environment["url"];
  // The look behind keeps it linear in a URL of nothing but slashes.
  const address = (url: unknown): string => String(url).replace(/(?<!\/)\/+$/, "");
  if (own === undefined || other === undefined || address(other) === address(own)) return profile;
  if (asked === undefined) return undefined;
  const said = line["url"] === undefined ? OPTIONS.url.environment : "--url";
  throw new RecPushError(
    "contradicting-options",
    `--profile ${String(asked)} and ${said} name different services`,
    {
      hint: `leave one of them out; a profile without "url" is for any service`,
    },
  );
}

/** The profile `default` of the first config that has any, else its only one. */
function defaultProfile(configs: readonly LoadedConfig[]): ChosenProfile | undefined {
  const all = configs.map(profilesOf).find((some) => some.length > 0) ?? [];
  return all.find(({ name }) => name === "default") ?? (all.length === 1 ? all[0] : undefined);
}

function namedProfile(configs: readonly LoadedConfig[], name: string, env: Io["env"]): ChosenProfile {
  const all = configs.flatMap(profilesOf);
  const profile = all.find((one) => one.name === name);
  if (profile !== undefined) return profile;
  const known = all.map((one) => `${one.name} in ${one.path}`);
  const text = `--profile ${name}: no such profile; there is ${known.join(", ") || "none"}`;
  throw new RecPushError("unknown-profile", text, {
    hint: `write the profile into your own config, ${ownConfigPath(env)}, or name the file that has it with --config FILE`,
  });
}

function profilesOf({ path, config: { profiles = {} } }: LoadedConfig): readonly ChosenProfile[] {
  return Object.entries(profiles).map(([name, section]) => ({ name, path, section }));
}
