import { lstatSync } from "node:fs";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { homeDirectory } from "../home-directory.ts";
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
export function placesOfConfigs(
  said: OptionTexts,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): readonly ConfigPlace[] {
  const { config: named } = said;
  const found = findConfig(cwd);
  const own = ownConfigPath(env);
  const places: ConfigPlace[] = [];
  if (named !== undefined) places.push({ path: resolve(cwd, String(named)), origin: "named" });
  if (found !== undefined) places.push({ path: found, origin: "found" });
  if (exists(own)) places.push({ path: own, origin: "own" });
  return places;
}

/** The nearest config, in a directory or one above it; `undefined` if there is none. */
export function findConfig(directory: string): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const path = join(at, CONFIG_NAME);
    if (exists(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The path of the user's own config, which need not exist (XDG Base Directory Specification: a relative
 * `XDG_CONFIG_HOME` is ignored), on Windows in `%APPDATA%`. It is never relative, because otherwise the working directory would
 * decide.
 */
export function ownConfigPath(env: Io["env"], platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === "win32";
  const paths = isWindows ? win32 : posix;
  const places = [env["XDG_CONFIG_HOME"], isWindows ? env["APPDATA"] : undefined];
  const named = places.find((place) => place !== undefined && paths.isAbsolute(place));
  const home = homeDirectory(isWindows ? {} : env) ?? paths.sep;
  const usual = isWindows ? paths.join(home, "AppData", "Roaming") : paths.join(home, ".config");
  return paths.join(named ?? usual, "rec-push", "config.json");
}

/**
 * True for a broken link too: reading it reports the lost config. Nearly always there is none, and to be told so by an
 * error of a thread takes as long as twenty such calls.
 */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES";
  }
}
