import { createHash } from "node:crypto";
import { chmod, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import Module, * as modules from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LoadFile, openCodeCache } from "../../src/cli/code-cache.ts";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const LONG = `// ${"x".repeat(30_000)}\n`;

/** A file of the command's kind, long enough to be kept. */
function fileSaying(word: string): string {
  return `"use strict";\nfunction say() { return "${word}"; }\nexports.said = say();\n${LONG}`;
}

/** A process: what it loads, `undefined` where that is left to Node, and its end. */
function startProcess(directory: string) {
  const extensions: NodeJS.Dict<LoadFile> = { ".js": (left) => (left.exports = undefined) };
  const keep = openCodeCache(directory, extensions, 0.1);
  const load = (file: string): unknown => {
    const module = new Module(file);
    extensions[".js"]?.(module, file);
    return module.exports;
  };
  return { load, end: keep };
}

/** Loads a file as a process would that does nothing else. */
function loadOnce(file: string, directory: string, uptimeSeconds = 1): unknown {
  const { load, end } = startProcess(directory);
  const loaded = load(file);
  end(uptimeSeconds);
  return loaded;
}

/** The one file in the cache: its path, bytes, mode and when it was written. */
async function onlyCache(directory: string) {
  const names = await readdir(directory);
  expect(names).toHaveLength(1);
  const path = join(directory, names[0] ?? "");
  const { mtimeMs, mode } = await stat(path);
  return { path, bytes: await readFile(path), mtimeMs, mode: mode & 0o777 };
}

function isIntact(bytes: Buffer, source: string): boolean {
  return createHash("sha256")
    .update(source)
    .update(bytes.subarray(32))
    .digest()
    .equals(bytes.subarray(0, 32));
}

describe("the code cache", () => {
  it("is written once, for this user alone, and taken from then on", async () => {
    const directory = join(await makeDirectory(), "cache/rec-push");
    const file = await makeFile("main.js", fileSaying("one"));
    expect(loadOnce(file, directory)).toEqual({ said: "one" });
    const first = await onlyCache(directory);
    expect(first.mode).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(isIntact(first.bytes, fileSaying("one"))).toBe(true);
    await utimes(first.path, 1, 1);
    expect(loadOnce(file, directory)).toEqual({ said: "one" });
    expect((await onlyCache(directory)).mtimeMs).toBe(1000);
  });

  it("is written again, with the functions used by then, when another file is loaded for the first time", async () => {
    const directory = await makeDirectory();
    const late = `exports.late = () => { return [${"exports.late.length, ".repeat(1000)}].length; };`;
    const file = await makeFile("main.js", `${late}\n${LONG}`);
    const other = await makeFile("other.js", fileSaying("other"));
    loadOnce(file, directory);
    const { path, bytes } = await onlyCache(directory);
    const run = async (files: readonly string[]): Promise<Buffer> => {
      const { load, end } = startProcess(directory);
      const [main] = files.map(load) as [{ late: () => number }];
      expect(main.late()).toBe(1000);
      end(1);
      return readFile(path);
    };
    expect((await run([file])).equals(bytes)).toBe(true);
    expect((await run([file, other])).length).toBeGreaterThan(bytes.length + 1000);
    expect(isIntact(await readFile(path), `${late}\n${LONG}`)).toBe(true);
  });

  it("removes what was written long ago when it is written, and nothing that is not its own", async () => {
    const directory = await makeDirectory();
    const daysAgo = (days: number): number => Date.now() / 1000 - days * 24 * 3600;
    const file = await makeFile("main.js", fileSaying("one"));
    for (const [name, days] of [
      ["v20.19.0-x64-usr-lib-rec-push-main.js", 91],
      ["v20.19.1-x64-usr-lib-rec-push-main.js", 89],
      ["v22.23.1-x64-0a1b2c3d-0", 91],
      ["notes.js", 91],
    ] as const) {
      await writeFile(join(directory, name), "");
      await utimes(join(directory, name), daysAgo(days), daysAgo(days));
    }
    loadOnce(file, directory);
    const left = (await readdir(directory)).filter((name) => !name.endsWith(file.replaceAll(/[^\w.]/g, "-")));
    expect(left.sort()).toEqual([
      "notes.js",
      "v20.19.1-x64-usr-lib-rec-push-main.js",
      "v22.23.1-x64-0a1b2c3d-0",
    ]);
  });

  // V8 compares lengths only.
  it("is not taken for a file of the same length in the same place", async () => {
    const directory = await makeDirectory();
    const file = await makeFile("main.js", fileSaying("one"));
    loadOnce(file, directory);
    await writeFile(file, fileSaying("two"));
    expect(loadOnce(file, directory)).toEqual({ said: "two" });
    expect(isIntact((await onlyCache(directory)).bytes, fileSaying("two"))).toBe(true);
  });

  it.each([
    ["a changed byte", (bytes: Buffer) => bytes.with(bytes.length >> 1, 1 ^ (bytes[bytes.length >> 1] ?? 0))],
    ["only its beginning", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ["nothing in it", () => new Uint8Array()],
  ])("with %s is not taken, but made again", async (_, damage) => {
    const directory = await makeDirectory();
    const file = await makeFile("main.js", fileSaying("one"));
    loadOnce(file, directory);
    const { path, bytes } = await onlyCache(directory);
    await writeFile(path, damage(bytes));
    expect(loadOnce(file, directory)).toEqual({ said: "one" });
    expect(isIntact((await onlyCache(directory)).bytes, fileSaying("one"))).toBe(true);
  });

  it.runIf(process.platform !== "win32")("is replaced if others could have written it", async () => {
    const directory = await makeDirectory();
    const file = await makeFile("main.js", fileSaying("one"));
    loadOnce(file, directory);
    const { path } = await onlyCache(directory);
    await chmod(path, 0o620);
    expect(loadOnce(file, directory)).toEqual({ said: "one" });
    expect((await onlyCache(directory)).mode).toBe(0o600);
  });

  it.runIf(process.platform !== "win32")("is not written where others could write", async () => {
    const directory = await makeDirectory();
    await chmod(directory, 0o770);
    const file = await makeFile("main.js", fileSaying("one"));
    expect(loadOnce(file, directory)).toEqual({ said: "one" });
    expect(await readdir(directory)).toEqual([]);
  });

  it("is not written by a long run, whose code V8 has dropped in part", async () => {
    const directory = await makeDirectory();
    loadOnce(await makeFile("main.js", fileSaying("one")), directory, 5);
    expect(await readdir(directory)).toEqual([]);
  });

  it("may be impossible to write", async () => {
    const directory = join(await makeFile("file", ""), "cache");
    expect(loadOnce(await makeFile("main.js", fileSaying("one")), directory)).toEqual({ said: "one" });
  });

  it("is for files that see what Node's see", async () => {
    const directory = await makeDirectory();
    const said =
      "{ word: require('./other.js').word, names: [__filename, __dirname], same: exports === module.exports }";
    const file = await makeFile("main.js", `module.exports = ${said};\n${LONG}`);
    await writeFile(join(dirname(file), "other.js"), "exports.word = 'other';");
    for (let round = 0; round < 2; round += 1)
      expect(loadOnce(file, directory)).toEqual({ word: "other", names: [file, dirname(file)], same: true });
  });

  it("is for files that name types in comments", async () => {
    const directory = await makeDirectory();
    const types = `/** @type {import("./a")} */\n  // import("a")\n/*\n * import("b")\n */\n`;
    loadOnce(await makeFile("main.js", types + fileSaying("one")), directory);
    expect(await readdir(directory)).toHaveLength(1);
  });

  it.each([
    ["a small file", "exports.said = 1;"],
    ["a file that imports", `exports.said = () => import("node:fs");\n${LONG}`],
    ["a file that imports after a comment", `/** a */ exports.said = () => import("node:fs");\n${LONG}`],
    ["an ES module", `export const said = 1;\n${LONG}`],
    ["a file with a fault", `exports.said = ;\n${LONG}`],
  ])("is not for %s", async (_, source) => {
    const directory = await makeDirectory();
    expect(loadOnce(await makeFile("main.js", source), directory)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
  });
});

describe("a command", () => {
  it("tells the same without a cache, with a new one and with a kept one", async () => {
    const cache = await makeDirectory();
    const input = await makeFile("a.csv", "cle,num_commande\nA1,1\n");
    const told = async (env: Record<string, string>) => {
      const { code, stdout, stderr } = await runProcess(["check", input], { env });
      return { code, stdout, stderr };
    };
    const without = await told({ XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(without.code).toBe(0);
    expect(await readdir(cache)).toEqual([]);
    expect(await told({ XDG_CACHE_HOME: cache })).toEqual(without);
    const kept = await readdir(join(cache, "rec-push"));
    expect(kept.length).toBeGreaterThanOrEqual(2);
    expect(await told({ XDG_CACHE_HOME: cache })).toEqual(without);
    expect(await readdir(join(cache, "rec-push"))).toEqual(kept);
  });

  // From Node 22 on, Node keeps something too.
  it.runIf(!("enableCompileCache" in modules))("writes none for help", async () => {
    const cache = await makeDirectory();
    const world = { env: { XDG_CACHE_HOME: cache }, others: "nothing" } as const;
    expect((await runProcess(["--help"], world)).code).toBe(0);
    expect(await readdir(cache)).toEqual([]);
  });
});
