import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

/** The files that a command loads: the program's own by name, the others by package. */
async function loadedBy(...argv: readonly string[]): Promise<{ own: string[]; packages: string[] }> {
  const directory = await makeDirectory();
  const { code } = await startProcess(argv, { NODE_V8_COVERAGE: directory }, undefined, "nothing").ended;
  expect(code).toBe(0);
  const scripts = await Promise.all(
    (await readdir(directory)).map(async (file) => {
      const { result } = JSON.parse(await readFile(join(directory, file), "utf8")) as {
        result: readonly { readonly url: string }[];
      };
      return result.map(({ url }) => url);
    }),
  );
  const urls = [...new Set(scripts.flat())].filter((url) => url.startsWith("file:"));
  return {
    own: urls.filter((url) => url.includes("/dist/")).map((url) => basename(url)),
    packages: [...new Set(urls.flatMap((url) => /\/node_modules\/([^/]+)/.exec(url)?.[1] ?? []))].sort(),
  };
}

// Node reads them faster, and V8 keeps a file with one wide letter at two bytes a character, in each thread that loads it.
it("files of the program are ASCII", async () => {
  const paths = await readdir("dist", { recursive: true });
  const texts = await Promise.all(
    paths.filter((path) => path.endsWith(".js")).map(async (path) => readFile(join("dist", path), "utf8")),
  );
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.flatMap((text) => text.match(/[^\0-\x7F]/g) ?? [])).toEqual([]);
});

it("the command's files are CommonJS, and say so", async () => {
  for (const place of ["bin", "dist/cli"])
    expect(JSON.parse(await readFile(join(place, "package.json"), "utf8"))).toEqual({ type: "commonjs" });
});

// What another user left there would be run.
it("no compiled code is kept in a cache, nor read from one", async () => {
  const [home, cache] = [await makeDirectory(), await makeDirectory()];
  const env = { HOME: home, XDG_CACHE_HOME: cache, XDG_STATE_HOME: await makeDirectory() };
  const input = await makeFile("a.csv", "cle,num_commande\nA1,1\n");
  for (const argv of [["--help"], ["check", input], [input, "--table", "commandes", "--sandbox"]])
    expect(await startProcess(argv, env, undefined, "nothing").ended).toMatchObject({ code: 0 });
  expect([await readdir(home), await readdir(cache)]).toEqual([[], []]);
  const files = ["bin", "dist/cli"].map(async (place) =>
    (await readdir(place)).filter((name) => name.endsWith(".js")).map((name) => join(place, name)),
  );
  const texts = (await Promise.all(files)).flat().map((path) => readFile(path, "utf8"));
  const caching = /compile_?cache|cachedData|v8\.startupSnapshot/i;
  expect((await Promise.all(texts)).filter((text) => caching.test(text))).toEqual([]);
});

it("a command that never says how it ended has not succeeded", async () => {
  const copy = await makeDirectory();
  await cp("bin", join(copy, "bin"), { recursive: true });
  await mkdir(join(copy, "dist/cli"), { recursive: true });
  await writeFile(join(copy, "dist/cli/door.js"), "exports.enter = () => new Promise(() => {});");
  const { code } = (await promisify(execFile)(process.execPath, [join(copy, "bin/rec-push.js")]).catch(
    (error: unknown) => error as { code: number },
  )) as { code?: number };
  expect(code).toBe(1);
});

// Each file costs a start some milliseconds on Node 20.
describe("the files that a short command loads", () => {
  it("are no package for help", async () => {
    const { packages } = await loadedBy("--help");
    expect(packages).toEqual([]);
  });

  it("are no reader of another format for a CSV, and nothing that another command needs", async () => {
    const input = await makeFile("a.csv", "cle,num_commande,ville\nA1,1,Orl\u00e9ans\n");
    const others = [
      "read-json.js",
      "packed-source.js",
      "encoding-question.js",
      "read-config.js",
      "resume.js",
      "help.js",
    ];
    expect(await readdir("dist/cli")).toEqual(expect.arrayContaining(others));
    for (const argv of [["check"], ["--table", "commandes", "--sandbox"]]) {
      const { own, packages } = await loadedBy(...argv, input, "--other-columns", "send");
      expect(own.filter((file) => others.includes(file))).toEqual([]);
      expect(packages).toEqual(argv[0] === "check" ? [] : ["undici"]);
      expect(own.includes("send-session.js")).toBe(argv[0] !== "check");
      expect(own).not.toContain("prepare-thread.js");
    }
  });
});
