import { dirname, resolve } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import { RecPushError } from "../../model/failure.ts";
import type { ConfigUse } from "../../model/event.ts";
import type { Io } from "../io.ts";
import type { RawOptions } from "../program.ts";
import { given, textOf } from "../raw-options.ts";
import type { TargetDefaults } from "../target-settings.ts";
import { chooseProfile, type ChosenProfile } from "./choose-profile.ts";
import { findConfig } from "./config-places.ts";
import { mergeOptions } from "./merge-options.ts";
import { readConfig, type Config } from "./read-config.ts";
import { readConfigFile } from "./read-config-file.ts";
import { profileOptions, sectionFields, sectionOptions } from "./section-options.ts";

/** A command's settings once the config has said its part. */
export interface Configured {
  readonly options: RawOptions;
  /** What the config declares of fields. */
  readonly fields: ReadonlyMap<string, DeclaredField>;
  /** Address and token of the profile: behind option and environment. */
  readonly target: TargetDefaults;
  /** Which config was used, and which parts of it; `undefined` without one. */
  readonly use: ConfigUse | undefined;
}

/** Finds the config of a command and puts it behind the options. Throws usage. */
export async function applyConfig(line: RawOptions, io: Pick<Io, "cwd" | "env">): Promise<Configured> {
  const named = textOf(line, "config");
  const path = named === undefined ? await findConfig(io.cwd) : resolve(io.cwd, named);
  if (path === undefined) {
    if (textOf(line, "profile") !== undefined) {
      throw new RecPushError(
        "usage",
        "no-config",
        "--profile names a profile of a config, and there is none",
        {
          hint: "look for rec-push.config.json here and above, or name it with --config FILE",
        },
      );
    }
    return { options: line, fields: new Map(), target: {}, use: undefined };
  }
  const origin = named === undefined ? "found" : "named";
  const config = readConfig((await readConfigFile({ path, origin })).text, path);
  const profile = chooseProfile(config, line, io.env, path);
  const table = chooseTable(config, textOf(line, "table"));
  const section = table === undefined ? {} : (config.tables?.[table] ?? {});
  const fromConfig = { ...sectionOptions(section), ...(profile && profileOptions(profile.section)) };
  return {
    options: mergeOptions(fromConfig, line),
    fields: sectionFields(section),
    target: targetDefaults(profile, path),
    use: { path, tables: Object.keys(config.tables ?? {}), ...given({ table, profile: profile?.name }) },
  };
}

/** The section of the table, or the only one where no table is named. */
function chooseTable({ tables = {} }: Config, named: string | undefined): string | undefined {
  const names = Object.keys(tables);
  if (named !== undefined) return Object.hasOwn(tables, named) ? named : undefined;
  return names.length === 1 ? names[0] : undefined;
}

function targetDefaults(profile: ChosenProfile | undefined, path: string): TargetDefaults {
  if (profile === undefined) return {};
  const { url, tokenFile, tokenEnv } = profile.section;
  return {
    from: `profile ${profile.name} of ${path}`,
    ...given({
      url,
      tokenEnv,
      tokenFile: tokenFile === undefined ? undefined : resolve(dirname(path), tokenFile),
    }),
  };
}
