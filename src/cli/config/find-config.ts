import { open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { RecPushError } from "../../model/failure.ts";

/** The name that is looked for. */
export const CONFIG_NAME = "rec-push.config.json";

/** The nearest config in a directory or those above it; `undefined` where there is none. */
export async function findConfig(directory: string): Promise<string | undefined> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const path = join(at, CONFIG_NAME);
    if (await exists(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/** The text of a config. Throws usage where others than the user and root may have written it. */
export async function readConfigFile(path: string): Promise<string> {
  try {
    const file = await open(path, "r");
    try {
      // Of the file that is open, so that nobody can change it in between.
      const { mode, uid } = await file.stat();
      refuseForeign(path, mode, uid, process.getuid?.());
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof RecPushError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new RecPushError("usage", "config-unreadable", `cannot read the config ${path}: ${code}`, {
      cause,
    });
  }
}

/** Throws usage for a file that other users could have written: it decides where the token goes. */
export function refuseForeign(path: string, mode: number, owner: number, user: number | undefined): void {
  if (user === undefined) return;
  if ((mode & 0o002) !== 0) {
    throw new RecPushError("usage", "config-writable", `the config ${path} can be changed by every user`, {
      hint: `take that away: chmod o-w ${path}`,
    });
  }
  if (owner !== user && owner !== 0) {
    throw new RecPushError("usage", "config-foreign", `the config ${path} belongs to another user`, {
      hint: "copy it, or name your own with --config FILE",
    });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A loop of links or a broken disk is told when the file is read.
    return code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES";
  }
}
