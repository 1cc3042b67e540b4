import { constants, lstatSync, type Stats } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { quoteWord, showText } from "../../model/text.ts";
import { type Io, userDirectory } from "../run-settings.ts";
import type { Config } from "./read-config.ts";

/** The file name of a config. */
export const CONFIG_NAME = "rec-push.config.json";

/**
 * A config, and why it is used: the user named it, it was found in or above the working directory, or it is the user's
 * own.
 */
export interface ConfigPlace {
  /** Absolute path. */
  readonly path: string;
  readonly origin: "named" | "found" | "own";
}

/**
 * The configs of a command, the most important first; `said` holds its options and the environment. A config that was
 * named need not exist, the others do.
 */
export function placesOfConfigs(
  said: OptionTexts,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): readonly ConfigPlace[] {
  const { config: named } = said;
  const found = findConfig(cwd);
  const own = ownConfigPath(env);
  const places: ConfigPlace[] = [];
  if (named !== undefined) places.push({ path: resolve(cwd, String(named)), origin: "named" });
  if (found !== undefined) places.push({ path: found, origin: "found" });
  if (exists(own)) places.push({ path: own, origin: "own" });
  return places;
}

/** The nearest config, in a directory or one above it; `undefined` if there is none. */
export function findConfig(directory: string): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const path = join(at, CONFIG_NAME);
    if (exists(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/** The path of the user's own config, which need not exist. */
export function ownConfigPath(env: Io["env"], platform: NodeJS.Platform = process.platform): string {
  const paths = platform === "win32" ? win32 : posix;
  return paths.join(userDirectory("config", env, platform) ?? paths.sep, "config.json");
}

/**
 * True for a broken link too: reading it reports the lost config. Synchronous: usually there is no config, and an
 * asynchronous error takes as long as twenty such calls.
 */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES";
  }
}

/** A config that was read. */
export interface LoadedConfig {
  /** Absolute path. */
  readonly path: string;
  readonly config: Config;
}

const TRUST: readonly ConfigPlace["origin"][] = ["named", "own", "found"];

/** Reads the configs of a command, the most important first. Throws a usage error. */
export async function loadConfigs(
  said: OptionTexts,
  io: Pick<Io, "cwd" | "env">,
): Promise<readonly LoadedConfig[]> {
  const files: (ConfigPlace & ConfigText)[] = [];
  for (const place of placesOfConfigs(said, io)) files.push({ ...place, ...(await readConfigFile(place)) });
  const trust = ({ origin }: ConfigPlace): number => TRUST.indexOf(origin);
  const loaded: LoadedConfig[] = [];
  for (const file of files) {
    if (files.some((other) => other.id === file.id && trust(other) < trust(file))) continue;
    const config = await configOf(file, file.text, io.env);
    loaded.push({ path: file.path, config });
  }
  return loaded;
}

/** Reads one config. Throws a usage error. */
export async function loadConfig(place: ConfigPlace, env: Io["env"]): Promise<LoadedConfig> {
  const { text } = await readConfigFile(place);
  return { path: place.path, config: await configOf(place, text, env) };
}

async function configOf(place: ConfigPlace, text: string, env: Io["env"]): Promise<Config> {
  // Most commands have no config.
  const { checkConfig, parseConfig } = await import("./read-config.ts");
  const value = parseConfig(text, place.path);
  if (place.origin === "found") refuseServices(value, place.path, ownConfigPath(env));
  return checkConfig(value, place.path);
}

/**
 * A directory may bring its own config, as a cloned repository does: it must not choose the service that gets a token.
 */
function refuseServices(value: unknown, path: string, own: string): void {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "profiles")) return;
  throw new RecPushError(
    "bad-config",
    `${showText(path, 400)} has profiles, but a config that was only found, here or in a parent directory, must not decide where your token goes`,
    {
      hint: `move profiles to your own config, ${showText(own, 400)}; or, if you trust the file, name it: --config ${showText(quoteWord(path), 400)} (or REC_PUSH_CONFIG)`,
    },
  );
}

/** The text of a config. */
interface ConfigText {
  readonly text: string;
  /** Equal if one file is reached by two paths. */
  readonly id: string;
}

/** Reads a config. Throws a usage error if it is not a file, or if others than the user and root could change it. */
export async function readConfigFile(place: ConfigPlace): Promise<ConfigText> {
  const shown = `the config ${showText(place.path, 400)}`;
  try {
    // What is judged and read is the file at the end of all links.
    const path = await realpath(place.path);
    if (!(await stat(path)).isFile()) throw new RecPushError("bad-config", `${shown} is not a file`);
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const found = await file.stat();
      const directory = dirname(path);
      const parts: ConfigPart[] = [{ kind: "file", path, ...permissionsOf(found) }];
      // The directory of a found config may be shared: a file that another user put there is that user's.
      if (place.origin !== "found")
        parts.push({ kind: "directory", path: directory, ...permissionsOf(await stat(directory)) });
      const uid = process.getuid?.();
      if (uid !== undefined) refuseOthers(place, parts, { uid, gid: process.getgid?.() });
      return { text: await file.readFile("utf8"), id: `${found.dev}:${found.ino}` };
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof RecPushError) throw cause;
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    const isLost = code === "ENOENT" && (await lstat(place.path).catch(() => undefined)) !== undefined;
    const why = isLost ? "it is a link that leads nowhere" : code;
    throw new RecPushError("bad-config", `cannot read ${shown}: ${why}`, { cause });
  }
}

interface ConfigUser {
  readonly uid: number;
  readonly gid: number | undefined;
}

/** A config file, or the directory that holds it. */
export interface ConfigPart {
  readonly kind: "file" | "directory";
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

function permissionsOf({ mode, uid, gid }: Stats): Pick<ConfigPart, "mode" | "uid" | "gid"> {
  return { mode, uid, gid };
}

/** Throws a usage error if anyone but the user and root could change or replace a config. */
export function refuseOthers(place: ConfigPlace, parts: readonly ConfigPart[], user: ConfigUser): void {
  const refused = `the config ${showText(place.path, 400)} is refused`;
  const nameOf = ({ kind, path }: ConfigPart): string => `the ${kind} ${showText(path, 400)}`;
  const foreign = parts.find(({ uid }) => uid !== user.uid && uid !== 0);
  if (foreign !== undefined) {
    const message = `${refused}: ${nameOf(foreign)} belongs to another user`;
    throw new RecPushError("untrusted-config", message, {
      hint: "check what it says, then put a copy that belongs to you in its place, in a directory that belongs to you",
    });
  }
  const open = parts.filter((part) => isOpenToOthers(part, user));
  if (open.length === 0) return;
  const command = ["chmod", "go-w", ...open.map(({ path }) => path)].map(quoteWord).join(" ");
  const message = `${refused}: other users can write to ${open.map(nameOf).join(" and ")}`;
  throw new RecPushError("untrusted-config", message, {
    hint: `check that it still says what you wrote, then: ${showText(command, command.length)}`,
  });
}

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
