import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { replaceFile } from "../../store/private-file.ts";
import type { Io } from "../run-settings.ts";
import { CONFIG_NAME, type ConfigPlace, findConfig, loadConfig, type LoadedConfig } from "./load-configs.ts";
import { type Config, isObject, readConfig, type TableSection } from "./read-config.ts";

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

/** The section of a table with the answers that a person gave; `pinned` is what `init` would write. */
export function withAnswers(
  before: TableSection | undefined,
  pinned: TableSection,
  answers: OptionTexts,
): TableSection {
  if (before === undefined) return pinned;
  const isAnswered = (name: string): boolean =>
    answers[name] !== undefined ||
    ((name === "map" || name === "fields") && (answers["map"] ?? answers["type"]) !== undefined);
  const section: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(pinned))
    if (isAnswered(name)) section[name] = joinValues(before[name], value);
  return section;
}

/** Lists and objects are joined, at every depth; of two other values the later one counts. */
function joinValues(before: unknown, value: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(value)) return [...new Set([...before, ...value])];
  if (!isObject(before) || !isObject(value)) return value;
  const joined = Object.entries(value).map(([name, one]) => [name, joinValues(before[name], one)] as const);
  return { ...before, ...Object.fromEntries(joined) };
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
