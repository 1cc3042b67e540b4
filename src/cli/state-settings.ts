import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { OptionValues } from "../options/table.ts";
import type { Io } from "./io.ts";

/**
 * The directory of the kept runs: `--state-dir`, else one in the user's state directory (XDG Base Directory
 * Specification: a relative `XDG_STATE_HOME` is ignored).
 */
export function stateRoot({ stateDir }: OptionValues, { env, cwd }: Pick<Io, "env" | "cwd">): string {
  if (stateDir !== undefined) return resolve(cwd, stateDir);
  const base = env["XDG_STATE_HOME"];
  if (base !== undefined && isAbsolute(base)) return join(base, "rec-push");
  return join(env["HOME"] || homedir(), ".local", "state", "rec-push");
}
