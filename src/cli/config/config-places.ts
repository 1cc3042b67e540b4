import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Io } from "../io.ts";
import type { OptionTexts } from "../../model/option-texts.ts";

/** The file name of a config. */
export const CONFIG_NAME = "rec-push.config.json";

/**
 * A config, and why it is used: the user named it, it was found in or above the working directory, or it is the user's
 * own.
 */
export interface ConfigPlace {
  /** Absolute path. */
  readonly path: string;
  readonly origin: "named" | "found" | "own";
}

/**
 * The configs of a command, the most important first; `said` holds its options and the environment. A config that was
 * named need not exist, the others do.
 */
export async function placesOfConfigs(
  said: OptionTexts,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<readonly ConfigPlace[]> {
  const { config: named } = said;
  const found = await findConfig(cwd);
  const own = ownConfigPath(env);
  const places: ConfigPlace[] = [];
  if (named !== undefined) places.push({ path: resolve(cwd, String(named)), origin: "named" });
  if (found !== undefined) places.push({ path: found, origin: "found" });
  if (await exists(own)) places.push({ path: own, origin: "own" });
  return places;
}

/** The nearest config, in a directory or one above it; `undefined` if there is none. */
export async function findConfig(directory: string): Promise<string | undefined> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const path = join(at, CONFIG_NAME);
    if (await exists(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The path of the user's own config, which need not exist (XDG Base Directory Specification: a relative
 * `XDG_CONFIG_HOME` is ignored). It is never relative, because otherwise the working directory would decide.
 */
export function ownConfigPath(env: Io["env"]): string {
  const home = [env["HOME"] ?? "", homedir()].find(isAbsolute) ?? "/";
  const base = env["XDG_CONFIG_HOME"];
  const directory = base !== undefined && isAbsolute(base) ? base : join(home, ".config");
  return join(directory, "rec-push", "config.json");
}

/** True for a broken link too: reading it reports the lost config. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES";
  }
}
