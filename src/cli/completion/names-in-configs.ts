import { loadConfigs } from "../config/load-configs.ts";
import { readEnvironment } from "../../options/environment.ts";
import type { Io } from "../io.ts";

/**
 * A name that a shell takes unchanged. Others are left out, because a config in a cloned repository must not be able to
 * run commands.
 */
const PLAIN = /^[\p{L}\p{N}_.@%+,-]+$/u;

/** The names of tables or profiles in the configs that a push from here would use; none if a config is broken. */
export async function namesInConfigs(what: "tables" | "profiles", io: Io): Promise<readonly string[]> {
  try {
    const configs = await loadConfigs(readEnvironment(io.env), io);
    const names = configs.flatMap(({ config }) => Object.keys(config[what] ?? {}));
    return [...new Set(names)].filter((name) => PLAIN.test(name) && !name.startsWith("-"));
  } catch {
    return [];
  }
}
