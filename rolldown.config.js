import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";

const THREAD = "prepare/thread/prepare-thread.ts";

/**
 * Chunks of modules that are loaded together, by the modules at which their loading begins. A module is in the first
 * chunk that needs it; what is loaded on request, such as a proxy's tunnel, is in none of them.
 */
const DOORS = [
  // Left to the entry itself, which is all that help loads.
  [undefined, ["cli/door.ts"]],
  ["prepare", [THREAD]],
  [
    "check",
    ["cli/main.ts", "cli/commands/check.ts", "report/text-reporter.ts", "report/remarks-reporter.ts"],
  ],
  ["push", ["cli/commands/push.ts", "send/send-session.ts", "report/ending-reporter.ts"]],
];

/** By module: the chunk that it goes to. */
let chunks;

function chunkOf(id, graph) {
  if (chunks === undefined) {
    chunks = new Map();
    const enter = (module, chunk) => {
      const info = graph.getModuleInfo(module);
      if (info === null || info.isExternal === true || chunks.has(module)) return;
      chunks.set(module, chunk);
      for (const imported of info.importedIds) enter(imported, chunk);
    };
    for (const [chunk, modules] of DOORS)
      for (const module of modules) enter(fileURLToPath(new URL(`src/${module}`, import.meta.url)), chunk);
    // It does its work when it is loaded, and others load what it loads.
    chunks.delete(fileURLToPath(new URL(`src/${THREAD}`, import.meta.url)));
  }
  return chunks.get(id);
}

/** Few files instead of hundreds, because opening each of them is most of what a short command takes. */
export default defineConfig({
  input: {
    door: "src/cli/door.ts",
    "prepare-thread": "src/prepare/thread/prepare-thread.ts",
    "write-help": "src/cli/write-help.ts",
    "config/write-schema": "src/cli/config/write-schema.ts",
  },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  // Dependencies stay what they are, so that an update of one reaches every installation.
  external: /^[^./]/,
  output: {
    // As deep as src/cli, since some modules find files of the package from where they are.
    dir: "dist/cli",
    chunkFileNames: "[name].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: "doors" }] },
    cleanDir: true,
  },
});
