import { defineConfig } from "rolldown";

/** Few files instead of hundreds, because opening each of them is most of what a short command takes. */
export default defineConfig({
  input: {
    door: "src/cli/door.ts",
    "prepare-thread": "src/prepare/thread/prepare-thread.ts",
    "write-help": "src/cli/write-help.ts",
    "config/write-schema": "src/cli/config/write-schema.ts",
  },
  platform: "node",
  // Dependencies stay what they are, so that an update of one reaches every installation.
  external: /^[^./]/,
  output: {
    // As deep as src/cli, since some modules find files of the package from where they are.
    dir: "dist/cli",
    chunkFileNames: "[name].js",
    cleanDir: true,
  },
});
