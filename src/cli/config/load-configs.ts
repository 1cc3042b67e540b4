import { quoteWord } from "../../model/shell-word.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { showText } from "../../model/visible-text.ts";
import type { Io } from "../io.ts";
import { type ConfigPlace, ownConfigPath, placesOfConfigs } from "./config-places.ts";
import type { Config } from "./read-config.ts";
import { type ConfigText, readConfigFile } from "./read-config-file.ts";
import { refusePlaces } from "./refuse-places.ts";

/** A config that was read. */
export interface LoadedConfig {
  /** Absolute path. */
  readonly path: string;
  readonly config: Config;
}

const TRUST: readonly ConfigPlace["origin"][] = ["named", "own", "found"];

/** Reads the configs of a command, the most important first. Throws a usage error. */
export async function loadConfigs(
  said: OptionTexts,
  io: Pick<Io, "cwd" | "env">,
): Promise<readonly LoadedConfig[]> {
  const files: (ConfigPlace & ConfigText)[] = [];
  for (const place of placesOfConfigs(said, io)) files.push({ ...place, ...(await readConfigFile(place)) });
  const trust = ({ origin }: ConfigPlace): number => TRUST.indexOf(origin);
  const loaded: LoadedConfig[] = [];
  for (const file of files) {
    if (files.some((other) => other.id === file.id && trust(other) < trust(file))) continue;
    const config = await configOf(file, file.text, io.env);
    if (file.origin === "found") await refusePlaces(config, file.path);
    loaded.push({ path: file.path, config });
  }
  return loaded;
}

/** Reads one config. Throws a usage error. */
export async function loadConfig(place: ConfigPlace, env: Io["env"]): Promise<LoadedConfig> {
  const { text } = await readConfigFile(place);
  return { path: place.path, config: await configOf(place, text, env) };
}

async function configOf(place: ConfigPlace, text: string, env: Io["env"]): Promise<Config> {
  // Most commands have no config.
  const { checkConfig, parseConfig } = await import("./read-config.ts");
  const value = parseConfig(text, place.path);
  if (place.origin === "found") refuseServices(value, place.path, ownConfigPath(env));
  return checkConfig(value, place.path, text);
}

/**
 * A directory may bring its own config, as a cloned repository does: it must not choose the service that gets a token.
 */
function refuseServices(value: unknown, path: string, own: string): void {
  if (typeof value !== "object" || value === null) return;
  const keys = ["profiles", "defaultProfile"].filter((key) => Object.hasOwn(value, key));
  if (keys.length === 0) return;
  throw new RecPushError(
    "usage",
    "profiles-in-found-config",
    `${showText(path, 400)} has ${keys.join(" and ")}, but a config that was only found, here or in a parent directory, must not decide where your token goes`,
    {
      hint: `move ${keys.join(" and ")} to your own config, ${showText(own, 400)}; or, if you trust the file, name it: --config ${showText(quoteWord(path), 400)} (or REC_PUSH_CONFIG)`,
    },
  );
}
