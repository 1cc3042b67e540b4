import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import type { Io } from "./io.ts";

/**
 * The user's home directory: `HOME` or, if it is missing, empty or relative, the one in the system's list of users.
 * `undefined` if there is none. It is never relative, because otherwise the working directory would decide.
 */
export function homeDirectory(env: Io["env"] = {}): string | undefined {
  for (const place of [() => env["HOME"], homedir, () => userInfo().homedir]) {
    const home = placeIn(place);
    if (home !== undefined && isAbsolute(home)) return home;
  }
  return undefined;
}

/** Node throws for a user whom the system does not know, as in some containers. */
function placeIn(place: () => string | undefined): string | undefined {
  try {
    return place();
  } catch {
    return undefined;
  }
}
