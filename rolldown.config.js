import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, defineConfig } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";

/** Packages stay what they are, so that an update of one reaches every installation. */
const PACKAGES = /^[^./]/;
/** Built into the command's files: a short command starts faster than if it had to find the files of the package. */
const BUILT_IN = /^commander$/;
/** Comments are in `src`: without them each start reads a sixth less. */
export const LOADED_FAST = {
  comments: false,
  plugins: [{ name: "ascii", generateBundle: inAscii }],
};
const OUTPUT = { ...LOADED_FAST, chunkFileNames: "[name].js", cleanDir: true };
const THREAD = "src/prepare/thread/prepare-thread.ts";
const LIBRARY = "src/library/index.ts";
/** Its types are written from the table of options, by a later step of the build. */
const OPTION_TYPES = "src/library/options.ts";

/** A few files instead of hundreds, because opening each of them is most of what a short command takes. */
const config = defineConfig([
  {
    platform: "node",
    checks: { ineffectiveDynamicImport: false },
    external: (name) => PACKAGES.test(name) && !BUILT_IN.test(name),
    input: {
      door: "src/cli/door.ts",
      // For tools that run many commands in one process.
      main: "src/cli/main.ts",
      "prepare-thread": THREAD,
      "write-derived": "src/cli/write-derived.ts",
    },
    // As deep as src/cli, since some modules find files of the package from where they are. Node 20 loads CommonJS in
    // four fifths of the time.
    output: { ...OUTPUT, dir: "dist/cli", format: "cjs" },
    plugins: [{ name: "package-type", generateBundle: emitPackage }],
  },
  {
    platform: "node",
    external: PACKAGES,
    input: { index: LIBRARY, "prepare-thread": THREAD },
    output: { ...OUTPUT, dir: "dist/library" },
    plugins: [{ name: "types", generateBundle: emitTypes }],
  },
]);

/**
 * Escapes letters beyond ASCII: V8 keeps a file with one letter above U+00FF at two bytes a character, in each thread that
 * loads it; a push had 25 MB more at its peak.
 */
function inAscii(_options, bundle) {
  for (const file of Object.values(bundle)) {
    if (file.type !== "chunk") continue;
    const raw = /String\.raw`[^`]*[^\0-\x7F]/.exec(file.code);
    if (raw !== null) throw new Error(`An escape would not be read in ${raw[0]}`);
    file.code = file.code.replaceAll(
      /[^\0-\x7F]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
}

function emitPackage() {
  this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
}

/** Emits the declarations of the library, and of the files that they name. */
function emitTypes() {
  const paths = [LIBRARY];
  for (const path of paths) {
    const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, "utf8"));
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join("; ")}`);
    const named = [...code.matchAll(/ from "(\..*?)\.ts";/g)].map(([, name]) =>
      join(dirname(path), `${name}.ts`),
    );
    for (const next of named)
      if (next !== OPTION_TYPES && !paths.includes(next) && existsSync(next)) paths.push(next);
    const source = code.replaceAll(/( from "\..*?)\.ts";/g, '$1.js";');
    this.emitFile({
      type: "asset",
      fileName: `types/${relative("src", path).replace(/ts$/, "d.ts")}`,
      source,
    });
  }
}

// `npm run build` runs this file, because rolldown's own command prints the size of each file.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await build(config);
