import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { defineConfig } from "rolldown";
import { LOADED_FAST } from "../rolldown.config.js";

const inPlace = new URL("in-place/", import.meta.url).pathname;

/** Modules that find files of the package have another in this folder, by the same name. */
const replacing = {
  name: "in-place",
  resolveId(source) {
    const other = resolve(inPlace, basename(source));
    return source.startsWith(".") && existsSync(other) ? other : undefined;
  },
};

/** One file of CommonJS each, all packages in it: what Node's single executables take with a code cache. */
export default defineConfig(
  ["binary/main.ts", "src/prepare/thread/prepare-thread.ts"].map((input) => ({
    input,
    platform: "node",
    plugins: [replacing],
    output: {
      ...LOADED_FAST,
      dir: "build/binary",
      format: "cjs",
      codeSplitting: false,
      entryFileNames: "[name].cjs",
    },
  })),
);
