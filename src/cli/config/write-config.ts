import { access, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { replaceFile } from "../../state/atomic-file.ts";
import { readConfig, type Config } from "./read-config.ts";

const SCHEMA = "node_modules/rec-push/dist/config-schema.json";

/** Writes a config whole or not at all; an existing one keeps its permissions. Throws a machine error. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  const named =
    config.$schema === undefined && (await hasSchema(path)) ? { $schema: `./${SCHEMA}`, ...config } : config;
  const text = `${JSON.stringify(named, null, 2)}\n`;
  // A section that cannot be read would stop the next push.
  readConfig(text, path);
  try {
    await replaceConfig(path, text);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new RecPushError("machine", "config-not-written", `cannot write the config ${path}: ${code}`, {
      cause,
    });
  }
}

async function replaceConfig(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  await replaceFile(target, text, mode);
}

async function hasSchema(path: string): Promise<boolean> {
  return access(join(dirname(path), SCHEMA)).then(
    () => true,
    () => false,
  );
}
