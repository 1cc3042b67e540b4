import { constants, lstatSync, type Stats } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { quoteWord, showText } from "../../model/text.ts";
import { replaceFile } from "../../store/private-file.ts";
import { type Io, userDirectory } from "../run-settings.ts";
import type { Config, TableSection } from "./read-config.ts";

/** The file name of a config. */
const CONFIG_NAME = "rec-push.config.json";

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
function placesOfConfigs(said: OptionTexts, { cwd, env }: Pick<Io, "cwd" | "env">): readonly ConfigPlace[] {
  const { config: named } = said;
  const found = findConfig(cwd);
  const own = ownConfigPath(env);
  const places: ConfigPlace[] = [];
  if (named !== undefined) places.push({ path: resolve(cwd, String(named)), origin: "named" });
  // A file that the user named is trusted, wherever it is.
  if (found !== undefined && found !== places[0]?.path) places.push({ path: found, origin: "found" });
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

/** Reads the configs of a command, the most important first. Throws a usage error. */
export async function loadConfigs(
  said: OptionTexts,
  io: Pick<Io, "cwd" | "env">,
): Promise<readonly LoadedConfig[]> {
  const loaded: LoadedConfig[] = [];
  for (const place of placesOfConfigs(said, io)) loaded.push(await loadConfig(place, io.env));
  return loaded;
}

/** Reads one config. Throws a usage error. */
async function loadConfig(place: ConfigPlace, env: Io["env"]): Promise<LoadedConfig> {
  const text = await readConfigFile(place);
  // Most commands have no config.
  const { checkConfig, parseConfig } = await import("./read-config.ts");
  const value = parseConfig(text, place.path);
  if (place.origin === "found") refuseServices(value, place.path, ownConfigPath(env));
  return { path: place.path, config: checkConfig(value, place.path) };
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

/** Reads a config. Throws a usage error if it is not a file, or if others than the user and root could change it. */
export async function readConfigFile(place: ConfigPlace): Promise<string> {
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
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof RecPushError) throw cause;
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    throw new RecPushError("bad-config", `cannot read ${shown}: ${code}`, { cause });
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

/** The config that `--config` names, else the nearest one, else the place for a new one. */
export async function openConfig(named: string | undefined, { cwd, env }: Io): Promise<LoadedConfig> {
  if (named !== undefined) return loadOrBegin({ path: resolve(cwd, named), origin: "named" }, env);
  const found = findConfig(cwd);
  if (found !== undefined) return loadConfig({ path: found, origin: "found" }, env);
  return { path: join(cwd, CONFIG_NAME), config: {} };
}

/** A config that need not exist yet. */
export async function loadOrBegin(place: ConfigPlace, env: Io["env"]): Promise<LoadedConfig> {
  try {
    return await loadConfig(place, env);
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    if (cause?.code !== "ENOENT") throw error;
    return { path: place.path, config: {} };
  }
}

/**
 * The section of a table once answers were given. Lists and objects are joined, at every depth; of two other values the answer
 * counts.
 */
export function joinSections(before: TableSection, answers: TableSection): TableSection {
  const joined = Object.entries(answers).map(([name, value]) => {
    const old = before[name];
    if (Array.isArray(value) && Array.isArray(old)) return [name, [...new Set([...old, ...value])]] as const;
    return [name, isSection(old) && isSection(value) ? joinSections(old, value) : value] as const;
  });
  return { ...before, ...Object.fromEntries(joined) };
}

function isSection(value: unknown): value is TableSection {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Puts a table's section into a config, whole or not at all; an existing one keeps its permissions. Throws a machine error. */
export async function writeSection(
  { path, config }: LoadedConfig,
  table: string,
  section: TableSection,
): Promise<void> {
  // Defined, so that a table called __proto__ is one like any other.
  const tables = Object.fromEntries([...Object.entries(config.tables ?? {}), [table, section]]);
  await writeConfig(path, { ...config, tables });
}

/** Writes a config, whole or not at all; an existing one keeps its permissions. Throws a machine error. */
export async function writeConfig(path: string, config: Config, mode = 0o644): Promise<void> {
  const text = `${JSON.stringify(config, null, 2)}\n`;
  const { readConfig } = await import("./read-config.ts");
  // A section that cannot be read would stop the next push.
  readConfig(text, path);
  try {
    const target = await realpath(path).catch(() => path);
    const there = await stat(target).catch(() => undefined);
    await replaceFile(target, text, there === undefined ? mode : there.mode & 0o777);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new RecPushError("cannot-write", `cannot write the config ${path}: ${code}`, {
      cause,
    });
  }
}
