import { execFile } from "node:child_process";
import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  type ConfigPart,
  type ConfigPlace,
  findConfig,
  ownConfigPath,
  readConfigFile,
  refuseOthers,
} from "../../../src/cli/config/config-files.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";

describe("findConfig", () => {
  it("takes the nearest one, here or above", async () => {
    const top = await makeDirectory();
    const below = join(top, "a", "b");
    await mkdir(below, { recursive: true });
    expect(findConfig(below)).toBeUndefined();
    await writeFile(join(top, "rec-push.config.json"), "{}");
    expect(findConfig(below)).toBe(join(top, "rec-push.config.json"));
    await writeFile(join(top, "a", "rec-push.config.json"), "{}");
    expect(findConfig(below)).toBe(join(top, "a", "rec-push.config.json"));
  });

  it("takes a link that leads nowhere, so that a config that was lost is noticed", async () => {
    const top = await makeDirectory();
    await writeFile(join(top, "rec-push.config.json"), "{}");
    await mkdir(join(top, "a"));
    await symlink("lost.json", join(top, "a", "rec-push.config.json"));
    expect(findConfig(join(top, "a"))).toBe(join(top, "a", "rec-push.config.json"));
  });
});

describe("ownConfigPath", () => {
  it.each<[string, Record<string, string>, string]>([
    ["an absolute XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "/x", HOME: "/h" }, "/x/rec-push/config.json"],
    ["an empty one", { XDG_CONFIG_HOME: "", HOME: "/h" }, "/h/.config/rec-push/config.json"],
    ["a relative one", { XDG_CONFIG_HOME: "x", HOME: "/h" }, "/h/.config/rec-push/config.json"],
    ["a relative HOME", { HOME: "." }, join(homedir(), ".config/rec-push/config.json")],
  ])("is in the user's directory: %s", (_, env, path) => {
    expect(ownConfigPath(env)).toBe(path);
  });
});

const isRoot = process.getuid?.() === 0;
const OTHER_USER = 65_533;

/** The text, or the code of the error. */
async function read(path: string, origin: ConfigPlace["origin"] = "found"): Promise<string> {
  try {
    return await readConfigFile({ path, origin });
  } catch (error) {
    if (!(error instanceof RecPushError) || error.kind !== "usage") throw error;
    return error.code;
  }
}

describe("readConfigFile", () => {
  it.each<[ConfigPlace["origin"], number, boolean]>([
    ["named", 0o775, false],
    ["own", 0o757, false],
    ["own", 0o1777, true],
    ["found", 0o777, true],
  ])(
    "judges the directory of a config that says where the token goes: %s, %o: %s",
    async (origin, mode, isRead) => {
      const directory = await makeDirectory();
      const path = join(directory, "config.json");
      await writeFile(path, "{}");
      await chmod(directory, mode);
      expect(await read(path, origin)).toBe(isRead ? "{}" : "untrusted-config");
    },
  );

  it("judges the directory that a link leads to", async () => {
    const [links, files] = [await makeDirectory(), await makeDirectory()];
    const path = join(links, "config.json");
    await writeFile(join(files, "real.json"), "{}");
    await symlink(join(files, "real.json"), path);
    expect(await read(path, "own")).toBe("{}");
    await chmod(files, 0o777);
    expect(await read(path, "own")).toBe("untrusted-config");
  });

  it("refuses a link to a file that others can write", async () => {
    const goal = await makeFile("goal.json", "{}");
    await chmod(goal, 0o666);
    const path = join(await makeDirectory(), "rec-push.config.json");
    await symlink(goal, path);
    expect(await read(path)).toBe("untrusted-config");
  });

  it.runIf(isRoot)("refuses a file that belongs to another user, by a link too", async () => {
    const top = await makeDirectory();
    const [path, link] = [join(top, "config.json"), join(top, "link.json")];
    await writeFile(path, "{}");
    await symlink(path, link);
    for (const each of [path, link]) expect(await read(each)).toBe("{}");
    await chown(path, OTHER_USER, 0);
    for (const each of [path, link]) expect(await read(each)).toBe("untrusted-config");
  });

  it("names what is no file, and does not wait for a writer", async () => {
    const directory = await makeDirectory();
    const pipe = join(directory, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    const told = (path: string): Promise<unknown> => readConfigFile({ path, origin: "found" });
    for (const path of [pipe, directory, "/dev/null"])
      await expect(told(path)).rejects.toThrow(`the config ${path} is not a file`);
  });
});

const USER = 1000;
const GROUP = 50;
const file = (mode: number, uid = USER, gid = GROUP): ConfigPart => ({
  kind: "file",
  path: "/c/config.json",
  mode,
  uid,
  gid,
});
const directory = (mode: number, uid = USER, gid = GROUP): ConfigPart => ({
  kind: "directory",
  path: "/c",
  mode,
  uid,
  gid,
});

/** The message and the hint with which the parts are refused. */
function refusal(parts: readonly ConfigPart[], uid = USER): string {
  try {
    refuseOthers({ path: "/c/config.json", origin: "own" }, parts, { uid, gid: uid });
    return "";
  } catch (error) {
    const { message, hint } = error as RecPushError;
    return `${message}: ${hint}`;
  }
}

describe("refuseOthers", () => {
  it.each<[string, readonly ConfigPart[]]>([
    ["the user's own file", [file(0o600)]],
    ["one that others read", [file(0o644)]],
    ["root's file", [file(0o644, 0)]],
    ["what a group of the user's own can write", [file(0o664, USER, USER), directory(0o775, USER, USER)]],
    ["a directory that others read", [file(0o600), directory(0o755)]],
    ["a shared directory in which nobody can exchange another's file", [file(0o600), directory(0o1777, 0)]],
  ])("takes %s", (_, parts) => {
    expect(refusal(parts)).toBe("");
  });

  it.each<[string, readonly ConfigPart[], string]>([
    ["a group can write", [file(0o664)], "other users can write to the file /c/config.json: "],
    ["everybody can write", [file(0o602)], "other users can write to the file /c/config.json: "],
    ["belongs to another user", [file(0o600, 1001)], "the file /c/config.json belongs to another user: "],
    [
      "is in another's directory",
      [file(0o600), directory(0o755, 1001)],
      "the directory /c belongs to another user: ",
    ],
    [
      "is in a directory a group can write",
      [file(0o600), directory(0o775)],
      "other users can write to the directory /c: ",
    ],
  ])("refuses a config that %s", (_, parts, told) => {
    expect(refusal(parts)).toContain(`the config /c/config.json is refused: ${told}`);
  });

  it.each([
    ["what root's group can write, which may have members", file(0o664, 0, 0), "other users can write"],
    ["a user's file", file(0o600, 1001), "belongs to another user"],
  ])("refuses %s, where root reads it", (_, part, told) => {
    expect(refusal([part], 0)).toContain(told);
  });

  it("names one command that mends all permissions", () => {
    expect(refusal([file(0o666), directory(0o777)])).toMatch(/: .*then: chmod go-w \/c\/config\.json \/c$/);
  });
});
