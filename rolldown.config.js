import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, defineConfig } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { parseSync } from "rolldown/utils";

/** Packages stay what they are, so that an update of one reaches every installation. */
const PACKAGES = /^[^./]/;
/** Built into the command's files: a `check` of ten rows takes 5 to 15 % less time than if it had to find their eight. */
const BUILT_IN = /^(commander|csv-parse\/sync)$/;
/** Whoever needs comments reads `src`: without them each start reads a sixth less. */
export const LOADED_FAST = {
  comments: false,
  plugins: [{ name: "ascii", generateBundle: inAscii }],
};
const OUTPUT = { ...LOADED_FAST, chunkFileNames: "[name].js", cleanDir: true };
/** Some commands load at once what others load on request. */
const CHECKS = { ineffectiveDynamicImport: false };
const THREAD = "src/prepare/thread/prepare-thread.ts";
const LIBRARY = "src/library/index.ts";
/** Its types are written from the table of options, by a later step of the build. */
const OPTION_TYPES = "src/library/options.ts";

/**
 * Chunks of modules that are loaded together, by the modules at which their loading begins. A module is in the first
 * chunk that needs it; what is loaded on request, such as a proxy's tunnel, is in none of them.
 */
const DOORS = [
  // Left to the entry itself, which is all that help loads.
  [undefined, ["src/cli/door.ts"]],
  // With what the command shares with "packed".
  [
    "prepare",
    [THREAD, "src/read/source/spool.ts", "src/read/source/copy-bounds.ts", "src/model/interruption.ts"],
  ],
  // Loaded on request, by the thread too: they need nothing but what is above.
  ["json", ["src/read/json/read-json.ts"]],
  ["packed", ["src/read/source/packed-source.ts"]],
  [
    "check",
    [
      "src/cli/main.ts",
      "src/cli/commands/check.ts",
      "src/report/text-reporter.ts",
      "src/report/remarks-reporter.ts",
    ],
  ],
  ["push", ["src/cli/commands/push.ts", "src/send/send-session.ts"]],
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
      for (const module of modules) enter(fileURLToPath(new URL(module, import.meta.url)), chunk);
    // It does its work when it is loaded, and others load what it loads.
    chunks.delete(fileURLToPath(new URL(THREAD, import.meta.url)));
  }
  return chunks.get(id);
}

/**
 * Few files instead of hundreds, because opening each of them is most of what a short command takes. Both doors have files
 * of their own: shared ones would be cut smaller, and the command would open more of them.
 */
const config = defineConfig([
  {
    platform: "node",
    checks: CHECKS,
    external: (name) => PACKAGES.test(name) && !BUILT_IN.test(name),
    input: {
      door: "src/cli/door.ts",
      // For tools that run many commands in one process.
      main: "src/cli/main.ts",
      "prepare-thread": THREAD,
      "write-derived": "src/cli/write-derived.ts",
    },
    output: {
      // As deep as src/cli, since some modules find files of the package from where they are.
      dir: "dist/cli",
      ...OUTPUT,
      plugins: [...OUTPUT.plugins, { name: "required", generateBundle: toRequired }],
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: chunkOf, debugName: "doors" }],
      },
    },
    preserveEntrySignatures: "allow-extension",
  },
  {
    platform: "node",
    checks: CHECKS,
    external: PACKAGES,
    input: { index: LIBRARY, "prepare-thread": THREAD },
    output: { ...OUTPUT, dir: "dist/library" },
    plugins: [{ name: "types", generateBundle: emitTypes }],
  },
]);

/**
 * Escapes letters beyond ASCII, which Node reads and hashes four times as fast. V8 keeps a file with one letter above
 * U+00FF at two bytes a character, in each thread that loads it, and collects its garbage later the more it holds from the
 * start: a push had 25 MB more at its peak.
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

/** Packages that can be required; any other is an ES module, which is loaded on request only. */
const REQUIRED = /^(node:.*|undici\/lib\/.*)$/;

/**
 * Makes the command's files CommonJS: Node 20 needs a fifth less time to load them so. Names of other files become
 * constants, as rolldown's own CommonJS would look each of them up at each use.
 */
function toRequired(_options, bundle) {
  const before = new Set();
  const refuseCycles = (file, path) => {
    if (path.includes(file)) throw new Error(`Files load each other: ${[...path, file].join(" -> ")}`);
    if (before.has(file)) return;
    for (const imported of bundle[file]?.imports ?? []) refuseCycles(imported, [...path, file]);
    before.add(file);
  };
  for (const [name, file] of Object.entries(bundle)) {
    if (file.type !== "chunk") continue;
    refuseCycles(name, []);
    // A file of CommonJS has that function already.
    const code = file.code.replaceAll("createRequire(import.meta.url)", "require");
    file.code = `"use strict";\n${requireInstead(code, name)}`;
  }
  this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
}

function requireInstead(code, file) {
  const { module, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const { staticImports, staticExports, dynamicImports, importMetas } = module;
  for (const { localName } of staticExports.flatMap(({ entries }) => entries))
    if (new RegExp(`^let ${localName.name}\\b`, "m").test(code))
      throw new Error(
        `${file} exports ${localName.name}, which may change: others would keep its first value`,
      );
  const edits = [
    ...staticImports.map(({ start, end, moduleRequest: { value }, entries }) => {
      if (!/^\.{1,2}\//.test(value) && !REQUIRED.test(value))
        throw new Error(`${file} imports ${value}, which is no CommonJS: load it on request, by import()`);
      return {
        start,
        end,
        text: entries.length === 0 ? "" : `const ${bindingOf(entries)} = require("${value}");`,
      };
    }),
    ...staticExports.map(({ start, end, entries }) => ({
      start,
      end,
      text: entries
        .map(({ exportName, localName }) => `exports.${exportName.name} = ${localName.name};`)
        .join("\n"),
    })),
    // Packages stay import(), since most are ES modules.
    ...dynamicImports
      .map(({ start, end, moduleRequest }) => ({
        start,
        end,
        name: code.slice(moduleRequest.start, moduleRequest.end),
      }))
      .filter(({ name }) => /^"\.{1,2}\//.test(name))
      .map(({ start, end, name }) => ({
        start,
        end,
        text: `Promise.resolve().then(() => require(${name}))`,
      })),
    ...importMetas.map(({ start, end }) => ({
      start,
      end,
      text: '({ url: require("node:url").pathToFileURL(__filename).href })',
    })),
  ];
  let changed = code;
  for (const { start, end, text } of edits.sort((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + text + changed.slice(end);
  // The parser counts no export there.
  return changed.replace(/^export \{\};$/m, "");
}

/** A default of CommonJS is what it exports. */
function bindingOf(entries) {
  const [first] = entries;
  if (entries.length === 1 && first.importName.kind !== "Name") return first.localName.value;
  const names = entries.map(({ importName: { kind, name }, localName: { value } }) => {
    if (kind !== "Name") throw new Error(`${value} is imported beside others`);
    return name === value ? name : `${name}: ${value}`;
  });
  return `{ ${names.join(", ")} }`;
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
