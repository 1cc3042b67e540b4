import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Io } from "../io.ts";
import type { RawOptions } from "../program.ts";
import { textOf } from "../raw-options.ts";

/** The name that is looked for. */
export const CONFIG_NAME = "rec-push.config.json";

/** A config, and why it counts: the user named it, it was found in or above the working directory, or it is the user's own. */
export interface ConfigPlace {
  /** Absolute. */
  readonly path: string;
  readonly origin: "named" | "found" | "own";
}

/** The configs of a command, the most important first. A config that was named need not exist, the others do. */
export async function placesOfConfigs(
  line: RawOptions,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<readonly ConfigPlace[]> {
  const named = textOf(line, "config") ?? (env["REC_PUSH_CONFIG"] || undefined);
  const found = await findConfig(cwd);
  const own = ownConfigPath(env);
  const places: ConfigPlace[] = [];
  if (named !== undefined) places.push({ path: resolve(cwd, named), origin: "named" });
  if (found !== undefined) places.push({ path: found, origin: "found" });
  if (await exists(own)) places.push({ path: own, origin: "own" });
  return places;
}

/** The nearest config in a directory or those above it; `undefined` where there is none. */
export async function findConfig(directory: string): Promise<string | undefined> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const path = join(at, CONFIG_NAME);
    if (await exists(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * Where the user's own config is, if there is one (XDG Base Directory Specification: a relative `XDG_CONFIG_HOME` does
 * not count). Never relative, or the working directory would decide.
 */
export function ownConfigPath(env: Io["env"]): string {
  const home = [env["HOME"] ?? "", homedir()].find(isAbsolute) ?? "/";
  const base = env["XDG_CONFIG_HOME"];
  const directory = base !== undefined && isAbsolute(base) ? base : join(home, ".config");
  return join(directory, "rec-push", "config.json");
}

/** A link that leads nowhere exists: a config that has been lost is told when it is read. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES";
  }
}
