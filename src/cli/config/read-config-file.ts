import { constants, type Stats } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { quoteWord } from "../../model/shell-word.ts";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/visible-text.ts";
import { CONFIG_NAME, type ConfigPlace } from "./config-places.ts";

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
    const uid = process.getuid?.();
    if (uid === undefined) return await readText(place.path);
    return await readJudged(place, { uid, gid: process.getgid?.() });
  } catch (cause) {
    if (cause instanceof RecPushError) throw cause;
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    const isLost = code === "ENOENT" && (await isLink(place.path));
    const text = `cannot read the config ${showText(place.path, 400)}: ${isLost ? "it is a link that leads nowhere" : code}`;
    throw new RecPushError("usage", "config-unreadable", text, { cause });
  }
}

/** Opens the file at the end of all links, and judges what is open and the directory that holds it. */
async function readJudged(place: ConfigPlace, user: ConfigUser): Promise<ConfigText> {
  const path = await realpath(place.path);
  const directory = dirname(path);
  return readText(path, constants.O_NOFOLLOW, async (file) => {
    const parts: ConfigPart[] = [{ kind: "file", path, ...file }];
    // The directory of a found config may be shared: a file that another user put there is that user's.
    if (place.origin !== "found")
      parts.push({ kind: "directory", path: directory, ...pick(await stat(directory)) });
    refuseOthers(place, parts, user);
  });
}

async function readText(
  path: string,
  flags = 0,
  judge: (found: Permissions) => Promise<void> = () => Promise.resolve(),
): Promise<ConfigText> {
  const file = await open(path, constants.O_RDONLY | flags);
  try {
    const found = await file.stat();
    await judge(pick(found));
    return { text: await file.readFile("utf8"), id: `${found.dev}:${found.ino}` };
  } finally {
    await file.close();
  }
}

interface Permissions {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

interface ConfigUser {
  readonly uid: number;
  readonly gid: number | undefined;
}

/** A config file, or the directory that holds it. */
export interface ConfigPart extends Permissions {
  readonly kind: "file" | "directory";
  readonly path: string;
}

function pick({ mode, uid, gid }: Stats): Permissions {
  return { mode, uid, gid };
}

/** Throws a usage error if anyone but the user and root could change or replace a config. */
export function refuseOthers(
  { path, origin }: ConfigPlace,
  parts: readonly ConfigPart[],
  user: ConfigUser,
): void {
  const config = `the config ${showText(path, 400)}`;
  const foreign = parts.find(({ uid }) => uid !== user.uid && uid !== 0);
  if (foreign !== undefined) {
    const message = `${config} is refused: ${name(foreign)} belongs to another user`;
    throw new RecPushError("usage", "config-foreign", message, { hint: HINTS[origin] });
  }
  const open = parts.filter((part) => isOpenToOthers(part, user));
  if (open.length === 0) return;
  const command = ["chmod", "go-w", ...open.map((part) => part.path)].map(quoteWord).join(" ");
  const message = `${config} is refused: other users can write to ${open.map(name).join(" and ")}`;
  throw new RecPushError("usage", "config-writable", message, {
    hint: `check that it still says what you wrote, then: ${showText(command, command.length)}`,
  });
}

const HINTS: Readonly<Record<ConfigPlace["origin"], string>> = {
  named: "check what it says, then name a copy that belongs to you, in a directory that belongs to you",
  found: `the nearest ${CONFIG_NAME} counts: put one that belongs to you into the working directory, or work elsewhere`,
  own: "check what it says, then put a copy that belongs to you in its place",
};

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
/** In a directory with this bit, only its owner and the owner of a file can rename or remove that file. */
const STICKY = 0o1000;

function isOpenToOthers({ kind, mode, gid }: ConfigPart, user: ConfigUser): boolean {
  if (kind === "directory" && (mode & STICKY) !== 0) return false;
  // Many systems give each user but root a group of their own, with the same number.
  const isOwnGroup = gid === user.gid && gid === user.uid && gid !== 0;
  return (mode & (isOwnGroup ? WRITABLE_BY_ALL : WRITABLE_BY_ALL | WRITABLE_BY_GROUP)) !== 0;
}

function name({ kind, path }: ConfigPart): string {
  return `the ${kind} ${showText(path, 400)}`;
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
