import { homedir } from "node:os";
import { posix, resolve, win32 } from "node:path";
import type { OptionValues } from "../options/table.ts";
import type { Io } from "./io.ts";

/**
 * The directory of the kept runs: `--state-dir`, else one in the user's state directory (XDG Base Directory
 * Specification: a relative `XDG_STATE_HOME` is ignored), on Windows in `%LOCALAPPDATA%`, which does not roam.
 */
export function stateRoot(
  { stateDir }: OptionValues,
  { env, cwd }: Pick<Io, "env" | "cwd">,
  platform: NodeJS.Platform = process.platform,
): string {
  if (stateDir !== undefined) return resolve(cwd, stateDir);
  const paths = platform === "win32" ? win32 : posix;
  const base = env["XDG_STATE_HOME"];
  if (base !== undefined && paths.isAbsolute(base)) return paths.join(base, "rec-push");
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"];
    const isUsable = local !== undefined && paths.isAbsolute(local);
    return paths.join(isUsable ? local : paths.join(homedir(), "AppData", "Local"), "rec-push", "state");
  }
  return paths.join(env["HOME"] || homedir(), ".local", "state", "rec-push");
}
