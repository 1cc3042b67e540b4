import { dirname, join, resolve } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import type { ConfigUse } from "../../model/event.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { readEnvironment } from "../../options/environment.ts";
import { given } from "../../options/given.ts";
import { mergeTexts } from "../../options/merge-texts.ts";
import { readValues } from "../../options/read-values.ts";
import { withHeaderFiles } from "../header-files.ts";
import { type OptionName, OPTIONS, type OptionValues } from "../../options/table.ts";
import type { Io } from "../io.ts";
import { type CredentialPlaces, splitCredentials } from "../credentials/credential-places.ts";
import { chooseProfile, type ChosenProfile } from "./choose-profile.ts";
import { loadConfigs, type LoadedConfig } from "./load-configs.ts";
import type { TableSection } from "./read-config.ts";
import { mergeFields, sectionFields, sectionTexts } from "./section-texts.ts";

/** A command's options, merged with environment and configs. */
export interface Configured {
  readonly texts: OptionTexts;
  readonly values: OptionValues;
  /** The fields that the configs declare. */
  readonly declared: ReadonlyMap<string, DeclaredField>;
  /** The options that are only set by configs. */
  readonly configured: ReadonlySet<string>;
  /** The columns that only configs map or drop, by the names used there. */
  readonly configColumns: ReadonlySet<string>;
  /** Where the profile says that secrets are; option and environment take precedence. */
  readonly credentials: CredentialPlaces;
  /** The configs that are used, the most important first, and which parts of them. */
  readonly uses: readonly ConfigUse[];
}

/** Reads the configs of a command and merges them below its options and the environment. Throws a usage error. */
export async function applyConfig(written: OptionTexts, io: Pick<Io, "cwd" | "env">): Promise<Configured> {
  const line = await withHeaderFiles(written);
  // The variable that holds the secret itself comes between these and the option.
  const { others: environment } = splitCredentials(await withHeaderFiles(readEnvironment(io.env)));
  const configs = await loadConfigs({ ...environment, ...line }, io);
  const profile = chooseProfile(configs, line, environment, io.env);
  const table = typeof line["table"] === "string" ? line["table"] : usualTable(configs);
  const sections = configs
    .flatMap((config) => {
      const section = sectionOf(config, table);
      return section === undefined ? [] : [{ section, path: config.path }];
    })
    .toReversed();
  const { places, others: ofProfile } = splitCredentials(profileTexts(profile));
  const fromConfigs = {
    ...sections.map(tableTexts).reduce(mergeTexts, {}),
    ...ofProfile,
    ...given({ table }),
  };
  const texts = mergeTexts(mergeTexts(fromConfigs, environment), line);
  return {
    texts,
    values: readValues(texts),
    declared: sections
      .map(({ section }) => sectionFields(section))
      .reduce(mergeFields, new Map<string, DeclaredField>()),
    configured: new Set(Object.keys(fromConfigs).filter((name) => line[name] === undefined)),
    configColumns: namedColumns(fromConfigs, line),
    credentials: {
      ...places,
      ...given({ from: profile && `profile ${profile.name} of ${profile.path}` }),
    },
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

/** The default table of the most important config that has one, else the only table that has a section. */
function usualTable(configs: readonly LoadedConfig[]): string | undefined {
  const named = configs.find(({ config }) => config.defaultTable !== undefined);
  if (named !== undefined) return named.config.defaultTable;
  const names = new Set(configs.flatMap(({ config }) => Object.keys(config.tables ?? {})));
  return names.size === 1 ? [...names][0] : undefined;
}

function sectionOf({ config }: LoadedConfig, table: string | undefined): TableSection | undefined {
  const { tables = {} } = config;
  return table !== undefined && Object.hasOwn(tables, table) ? tables[table] : undefined;
}

/** Each push of a table has its own rejects, so a section names a directory for them, relative to its config. */
function tableTexts({
  section,
  path,
}: {
  readonly section: TableSection;
  readonly path: string;
}): OptionTexts {
  const texts = sectionTexts(section, "table");
  const { rejects } = texts;
  return typeof rejects === "string"
    ? { ...texts, rejects: join(resolve(dirname(path), rejects), "/") }
    : texts;
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
  return OPTIONS[name as OptionName].journal.kind === "path";
}
