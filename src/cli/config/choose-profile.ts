import { RecPushError } from "../../model/failure.ts";
import type { Io } from "../io.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { OPTIONS } from "../../options/table.ts";
import { ownConfigPath } from "./config-places.ts";
import type { LoadedConfig } from "./load-configs.ts";
import type { ProfileSection } from "./read-config.ts";

/** The profile that is used. */
export interface ChosenProfile {
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
export function chooseProfile(
  configs: readonly LoadedConfig[],
  line: OptionTexts,
  environment: OptionTexts,
  env: Io["env"],
): ChosenProfile | undefined {
  const { profile: asked } = line;
  const profile = asked === undefined ? defaultProfile(configs) : namedProfile(configs, String(asked), env);
  if (profile === undefined) return undefined;
  const { url } = profile.section;
  const other = line["url"] ?? environment["url"];
  if (url === undefined || other === undefined || isSameAddress(String(other), url)) return profile;
  if (asked === undefined) return undefined;
  if (line["url"] !== undefined) return profile;
  const variable = OPTIONS.url.environment;
  throw new RecPushError(
    "usage",
    "two-targets",
    `--profile ${String(asked)} and ${variable} name different services`,
    { hint: `unset ${variable}, or name the service with --url` },
  );
}

function defaultProfile(configs: readonly LoadedConfig[]): ChosenProfile | undefined {
  const first = configs.find((config) => namesIn(config).length > 0);
  if (first === undefined) return undefined;
  const names = namesIn(first);
  const name = first.config.defaultProfile ?? (names.length === 1 ? names[0] : undefined);
  return name === undefined ? undefined : profileIn(first, name);
}

function namedProfile(configs: readonly LoadedConfig[], name: string, env: Io["env"]): ChosenProfile {
  const [profile] = configs.flatMap((config) => profileIn(config, name) ?? []);
  if (profile !== undefined) return profile;
  const known = configs
    .filter((config) => namesIn(config).length > 0)
    .map((config) => `${config.path} has ${namesIn(config).join(", ")}`);
  const text = known.length === 0 ? "no config has profiles" : `no such profile; ${known.join("; ")}`;
  throw new RecPushError("usage", "unknown-profile", `--profile ${name}: ${text}`, {
    hint: `write the profile into your own config, ${ownConfigPath(env)}, or name the file that has it with --config FILE`,
  });
}

function profileIn({ path, config }: LoadedConfig, name: string): ChosenProfile | undefined {
  const { profiles = {} } = config;
  const section = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  return section === undefined ? undefined : { name, path, section };
}

function namesIn({ config }: LoadedConfig): readonly string[] {
  return Object.keys(config.profiles ?? {});
}

function isSameAddress(one: string, other: string): boolean {
  const plain = (text: string): string =>
    text
      .trim()
      .replace(/(?<!\/)\/+$/, "")
      .toLowerCase();
  return plain(one) === plain(other);
}
