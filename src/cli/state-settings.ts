import { posix, resolve, win32 } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { OptionValues } from "../options/table.ts";
import { homeDirectory } from "./home-directory.ts";
import type { Io } from "./io.ts";

/**
 * The directory of the kept runs: `--state-dir`, else one in the user's state directory (XDG Base Directory
 * Specification: a relative `XDG_STATE_HOME` is ignored), on Windows in `%LOCALAPPDATA%`, which does not roam. Throws a
 * machine error if there is none.
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
  const local = env["LOCALAPPDATA"];
  if (platform === "win32" && local !== undefined && paths.isAbsolute(local))
    return paths.join(local, "rec-push", "state");
  const home = homeDirectory(platform === "win32" ? {} : env);
  if (home === undefined) throw noHome();
  return platform === "win32"
    ? paths.join(home, "AppData", "Local", "rec-push", "state")
    : paths.join(home, ".local", "state", "rec-push");
}

function noHome(): RecPushError {
  return new RecPushError(
    "machine",
    "state-directory",
    "there is no directory in which the runs could be kept: HOME names none, and the system knows no home directory of this user",
    { hint: "name a directory that stays from one command to the next: --state-dir DIR, or set HOME" },
  );
}
