import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

/** The same limit as in Linux. */
const MOST_LINKS = 40;

/** An absolute POSIX path, resolved to its end. */
export interface FollowedPath {
  /** The same place as a path without links. */
  readonly path: string;
  /** The symbolic links on the way and at the end, each as a path without other links. */
  readonly links: readonly FollowedLink[];
}

interface FollowedLink {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

/** Follows a path link by link, as the system does. Throws the system's error, ELOOP for circular links. */
export async function followPath(
  path: string,
  platform: NodeJS.Platform = process.platform,
): Promise<FollowedPath> {
  // Its links have neither owners nor permissions that could be judged.
  if (platform === "win32") return { path: await realpath(path), links: [] };
  const links: FollowedLink[] = [];
  const rest = path.split("/");
  let at = "/";
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "" || name === ".") continue;
    const next = name === ".." ? dirname(at) : join(at, name);
    const found = await lstat(next);
    if (!found.isSymbolicLink()) {
      at = next;
      continue;
    }
    if (links.push({ path: next, mode: found.mode, uid: found.uid }) > MOST_LINKS)
      throw Object.assign(new Error("too many links"), { code: "ELOOP" });
    const goal = await readlink(next);
    if (isAbsolute(goal)) at = "/";
    rest.unshift(...goal.split("/"));
  }
  return { path: at, links };
}
