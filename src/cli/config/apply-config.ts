import { dirname, resolve } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import type { ConfigUse } from "../../model/event.ts";
import type { Io } from "../io.ts";
import type { RawOptions } from "../program.ts";
import { given, textOf } from "../raw-options.ts";
import type { TargetDefaults } from "../target-settings.ts";
import { chooseProfile, type ChosenProfile } from "./choose-profile.ts";
import { loadConfigs, type LoadedConfig } from "./load-configs.ts";
import { mergeOptions, mergeSections } from "./merge-options.ts";
import type { TableSection } from "./read-config.ts";
import { mergeFields, profileOptions, sectionFields, sectionOptions } from "./section-options.ts";

/** A command's settings after the configs were taken into account. */
export interface Configured {
  readonly options: RawOptions;
  /** What the configs declare of fields. */
  readonly fields: ReadonlyMap<string, DeclaredField>;
  /** Address and token of the profile, for where option and environment name none. */
  readonly target: TargetDefaults;
  /** The configs in use, the most important first, and which parts of them. */
  readonly uses: readonly ConfigUse[];
}

/** Reads the configs of a command and merges them, below its options. Throws usage. */
export async function applyConfig(line: RawOptions, io: Pick<Io, "cwd" | "env">): Promise<Configured> {
  const configs = await loadConfigs(line, io);
  const profile = chooseProfile(configs, line, io.env);
  if (configs.length === 0) return { options: line, fields: new Map(), target: {}, uses: [] };
  const table = textOf(line, "table") ?? onlyTable(configs);
  const sections = configs
    .map((config) => sectionOf(config, table))
    .filter((section) => section !== undefined)
    .toReversed();
  const fromConfigs = {
    ...sections.map(sectionOptions).reduce(mergeSections, {}),
    ...(profile && profileOptions(profile.section)),
  };
  return {
    options: mergeOptions(fromConfigs, line),
    fields: sections.map(sectionFields).reduce(mergeFields, new Map<string, DeclaredField>()),
    target: targetDefaults(profile),
    uses: configs.map((config) => useOf(config, table, profile)),
  };
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

/** The table that the configs have a section for, where it is one. */
function onlyTable(configs: readonly LoadedConfig[]): string | undefined {
  const names = new Set(configs.flatMap(({ config }) => Object.keys(config.tables ?? {})));
  return names.size === 1 ? [...names][0] : undefined;
}

function sectionOf({ config }: LoadedConfig, table: string | undefined): TableSection | undefined {
  const { tables = {} } = config;
  return table !== undefined && Object.hasOwn(tables, table) ? tables[table] : undefined;
}

function targetDefaults(profile: ChosenProfile | undefined): TargetDefaults {
  if (profile === undefined) return {};
  const { url, tokenFile, tokenEnv } = profile.section;
  return {
    from: `profile ${profile.name} of ${profile.path}`,
    ...given({
      url,
      tokenEnv,
      tokenFile: tokenFile === undefined ? undefined : resolve(dirname(profile.path), tokenFile),
    }),
  };
}
