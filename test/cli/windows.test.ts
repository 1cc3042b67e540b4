import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { ownConfigPath } from "../../src/cli/config/config-files.ts";
import { expandGlobs } from "../../src/cli/command-line.ts";
import { stateRoot } from "../../src/cli/run-settings.ts";
import { syncDirectory } from "../../src/store/state-directory.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("on Windows", () => {
  const root = (env: Record<string, string>): string => stateRoot({}, { env, cwd: "/" }, "win32");

  it.each([
    [{ LOCALAPPDATA: String.raw`C:\Users\a\AppData\Local` }, String.raw`C:\Users\a\AppData\Local\rec-push`],
    [{ LOCALAPPDATA: String.raw`\\server\home\a` }, String.raw`\\server\home\a\rec-push`],
    [{ XDG_STATE_HOME: String.raw`D:\state`, LOCALAPPDATA: String.raw`C:\l` }, String.raw`D:\state\rec-push`],
    [{ XDG_STATE_HOME: "state", LOCALAPPDATA: String.raw`C:\l` }, String.raw`C:\l\rec-push`],
  ])("runs are kept where programs keep what does not roam: %j", (env, expected) => {
    expect(root(env as Record<string, string>)).toBe(expected);
  });

  it("they are kept in the home directory where that has no name", () => {
    for (const env of [{}, { LOCALAPPDATA: "local" }])
      expect(root(env as Record<string, string>)).toBe(
        win32.join(homedir(), String.raw`AppData\Local\rec-push`),
      );
  });

  it.each([
    [{ APPDATA: String.raw`C:\r` }, String.raw`C:\r\rec-push\config.json`],
    [{ XDG_CONFIG_HOME: String.raw`D:\c`, APPDATA: String.raw`C:\r` }, String.raw`D:\c\rec-push\config.json`],
  ])("the user's own config is in the folder that roams: %j", (env, expected) => {
    expect(ownConfigPath(env as Record<string, string>, "win32")).toBe(expected);
  });

  it("no directory is brought to disk, which is refused there", async () => {
    await expect(syncDirectory("/is/not/there", "win32")).resolves.toBeUndefined();
    await expect(syncDirectory("/is/not/there", "linux")).rejects.toThrow("ENOENT");
  });
});

describe("names with * and ?", () => {
  async function makeFiles(): Promise<string> {
    const cwd = await makeDirectory();
    for (const name of ["may", "june"]) await mkdir(join(cwd, "exports", name), { recursive: true });
    for (const path of [
      "b.csv",
      "A.CSV",
      "a1.csv",
      "a22.csv",
      ".a.csv",
      "x(1).csv",
      "exports/may/o.csv",
      "exports/june/o.csv",
    ])
      await writeFile(join(cwd, path), "");
    return cwd;
  }

  it.each([
    ["*.csv", ["A.CSV", "a1.csv", "a22.csv", "b.csv", "x(1).csv"]],
    ["a?.csv", ["a1.csv"]],
    ["./a*.csv", ["./A.CSV", "./a1.csv", "./a22.csv"]],
    ["exports/may/*.csv", ["exports/may/o.csv"]],
    ["e*/may/*.csv", ["e*/may/*.csv"]],
    ["x(?).csv", ["x(1).csv"]],
    [".*.csv", [".a.csv"]],
    ["*.json", ["*.json"]],
    ["*", ["A.CSV", "a1.csv", "a22.csv", "b.csv", "x(1).csv"]],
    ["b.csv", ["b.csv"]],
    ["-", ["-"]],
  ])("%s stands for the files that match, as no shell of Windows says", async (word, expected) => {
    const cwd = await makeFiles();
    expect(expandGlobs([word], cwd, "win32")).toEqual(expected);
    expect(expandGlobs([word], cwd, "linux")).toEqual([word]);
  });
});
