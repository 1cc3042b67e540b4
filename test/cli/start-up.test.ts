import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { runProcess, startProcess } from "../support/run-process.ts";
import { expectEnd } from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

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

it("standard input is opened only if it is an input", async () => {
  const refusing = "Object.defineProperty(process,'stdin',{get(){throw(Error('opened'))}})";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${refusing}` };
  const input = await makeFile("a.csv", "cle,num_commande\nA1,1\n");
  for (const argv of [["check", input], [input, "--table", "commandes", "--sandbox"], ["--help"]])
    expect(await runProcess(argv, { env })).toMatchObject({ code: 0 });
  await expectEnd(runProcess(["check", "-"], { env }), 3, "<stdin>: the file cannot be read: opened");
});
