import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Io } from "./io.ts";
import type { RawOptions } from "./program.ts";
import { textOf } from "./raw-options.ts";

/**
 * Where runs are kept: `--state-dir`, else under the user's state directory (XDG Base Directory Specification: a relative
 * `XDG_STATE_HOME` does not count).
 */
export function stateRoot(options: RawOptions, { env, cwd }: Pick<Io, "env" | "cwd">): string {
  const named = textOf(options, "stateDir");
  if (named !== undefined) return resolve(cwd, named);
  const base = env["XDG_STATE_HOME"];
  if (base !== undefined && isAbsolute(base)) return join(base, "rec-push");
  return join(env["HOME"] || homedir(), ".local", "state", "rec-push");
}
