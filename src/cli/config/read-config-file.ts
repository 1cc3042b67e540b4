import { constants, type Stats } from "node:fs";
import { lstat, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/visible-text.ts";
import type { ConfigPlace } from "./config-places.ts";
import { followPath } from "./follow-path.ts";
import { type ConfigPart, refuseOthers } from "./refuse-others.ts";

/** The text of a config. */
export interface ConfigText {
  readonly text: string;
  /** Equal if one file is reached by two paths. */
  readonly id: string;
}

/** Reads a config. Throws a usage error if it is not a file, or if others than the user and root could change it. */
export async function readConfigFile(place: ConfigPlace): Promise<ConfigText> {
  try {
    refuseKind(place.path, await stat(place.path));
    const user = process.getuid?.();
    return user === undefined ? await readText(place.path) : await readJudged(place, user);
  } catch (cause) {
    if (cause instanceof RecPushError) throw cause;
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    const isLost = code === "ENOENT" && (await isLink(place.path));
    const text = `cannot read the config ${showText(place.path, 400)}: ${isLost ? "it is a link that leads nowhere" : code}`;
    throw new RecPushError("usage", "config-unreadable", text, { cause });
  }
}

/** Opens it by a path without links, so that nobody can redirect it after the links were checked. */
async function readJudged(place: ConfigPlace, user: number): Promise<ConfigText> {
  const { path, links } = await followPath(place.path);
  // The directory of a found config may be shared: a file that another user put there is that user's.
  const holders = place.origin === "found" ? [] : [path, ...links.map((link) => link.path)].map(dirname);
  const parts: ConfigPart[] = [];
  for (const { path, mode, uid } of links) parts.push({ kind: "link", path, mode, uid });
  for (const directory of new Set(holders)) {
    const { mode, uid } = await stat(directory);
    parts.push({ kind: "directory", path: directory, mode, uid });
  }
  return readText(path, constants.O_NOFOLLOW, ({ mode, uid }) =>
    refuseOthers(place, [{ kind: "file", path, mode, uid }, ...parts], user),
  );
}

/** `judge` examines the file that is open, not one that was there before. */
async function readText(
  path: string,
  flags = 0,
  judge: (found: Stats) => void = () => undefined,
): Promise<ConfigText> {
  const file = await open(path, constants.O_RDONLY | flags);
  try {
    const found = await file.stat();
    judge(found);
    return { text: await file.readFile("utf8"), id: `${found.dev}:${found.ino}` };
  } finally {
    await file.close();
  }
}

function refuseKind(path: string, found: Stats): void {
  if (found.isFile()) return;
  const kind = found.isDirectory() ? "a directory" : found.isFIFO() ? "a pipe" : "a device or a socket";
  throw new RecPushError(
    "usage",
    "config-no-file",
    `the config ${showText(path, 400)} is ${kind}, not a file`,
  );
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
