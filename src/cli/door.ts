import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type * as Main from "./main.ts";
import { ignoreStopSignals, openProcessIo } from "./process-io.ts";

/**
 * Runs this process's command line and returns the exit code. Help is answered before anything else is loaded. In
 * `cache`, a directory, the code is kept that V8 compiled; without, Node has to see to that.
 */
export async function enter(argv: readonly string[], cache?: string): Promise<number> {
  const io = openProcessIo();
  const help = argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h") ? readHelp() : undefined;
  if (help !== undefined) {
    io.stdout.write(help);
    return 0;
  }
  const { main } = cache === undefined ? await import("./main.ts") : await loadCached(cache);
  const code = await main(argv, io);
  ignoreStopSignals();
  return code;
}

async function loadCached(directory: string): Promise<typeof Main> {
  const { openCodeCache } = await import("./code-cache.ts");
  const { load, keep } = openCodeCache(directory);
  process.once("exit", () => keep());
  return load(fileURLToPath(new URL("./main.js", import.meta.url))) as typeof Main;
}

/** The help that the build has written; `undefined` if there is no build. */
function readHelp(): string | undefined {
  try {
    return readFileSync(new URL("../help.txt", import.meta.url), "utf8");
  } catch {
    return undefined;
  }
}
