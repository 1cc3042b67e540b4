import { execFile } from "node:child_process";
import { chmod, chown, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { type ConfigPlace, readConfigFile } from "../../../src/cli/config/load-configs.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";

const ORIGINS: readonly ConfigPlace["origin"][] = ["named", "found", "own"];
const isRoot = process.getuid?.() === 0;
const OTHER_USER = 65_533;

/** The text, or the code of the error. */
async function read(path: string, origin: ConfigPlace["origin"] = "found"): Promise<string> {
  try {
    return (await readConfigFile({ path, origin })).text;
  } catch (error) {
    if (!(error instanceof RecPushError) || error.kind !== "usage") throw error;
    return error.code;
  }
}

describe("readConfigFile", () => {
  it.each([
    [0o600, true],
    [0o664, false],
    [0o666, false],
  ])("reads a file with mode %o: %s", async (mode, isRead) => {
    const path = await makeFile("rec-push.config.json", "{}");
    await chmod(path, mode);
    for (const origin of ORIGINS) expect(await read(path, origin)).toBe(isRead ? "{}" : "config-writable");
  });

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
      expect(await read(path, origin)).toBe(isRead ? "{}" : "config-writable");
    },
  );

  it("judges the directory that a link leads to", async () => {
    const [links, files] = [await makeDirectory(), await makeDirectory()];
    const path = join(links, "config.json");
    await writeFile(join(files, "real.json"), "{}");
    await symlink(join(files, "real.json"), path);
    expect(await read(path, "own")).toBe("{}");
    await chmod(files, 0o777);
    expect(await read(path, "own")).toBe("config-writable");
  });

  it("refuses a link to a file that others can write", async () => {
    const goal = await makeFile("goal.json", "{}");
    await chmod(goal, 0o666);
    const path = join(await makeDirectory(), "rec-push.config.json");
    await symlink(goal, path);
    expect(await read(path)).toBe("config-writable");
  });

  it.runIf(isRoot)("refuses a file that belongs to another user, by a link too", async () => {
    const top = await makeDirectory();
    const [path, link] = [join(top, "config.json"), join(top, "link.json")];
    await writeFile(path, "{}");
    await symlink(path, link);
    for (const each of [path, link]) expect(await read(each)).toBe("{}");
    await chown(path, OTHER_USER, 0);
    for (const each of [path, link]) expect(await read(each)).toBe("config-foreign");
  });

  it("names what is no file, and does not wait for a writer", async () => {
    const directory = await makeDirectory();
    const pipe = join(directory, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    const told = (path: string): Promise<unknown> => readConfigFile({ path, origin: "found" });
    for (const path of [pipe, directory, "/dev/null"])
      await expect(told(path)).rejects.toThrow(`the config ${path} is not a file`);
  });

  it("names what cannot be read", async () => {
    const directory = await makeDirectory();
    const told = (path: string): Promise<unknown> => readConfigFile({ path, origin: "named" });
    const absent = join(directory, "absent.json");
    await expect(told(absent)).rejects.toThrow(`cannot read the config ${absent}: ENOENT`);
    const lost = join(directory, "lost.json");
    await symlink(absent, lost);
    await expect(told(lost)).rejects.toThrow(
      `cannot read the config ${lost}: it is a link that leads nowhere`,
    );
    const circle = join(directory, "circle.json");
    await symlink(circle, circle);
    await expect(told(circle)).rejects.toThrow(`cannot read the config ${circle}: ELOOP`);
  });

  it("gives one file one id, by whatever path", async () => {
    const path = await makeFile("a.json", "{}");
    const link = join(await makeDirectory(), "b.json");
    await symlink(path, link);
    const idOf = async (of: string): Promise<string> =>
      (await readConfigFile({ path: of, origin: "named" })).id;
    expect(await idOf(link)).toBe(await idOf(path));
    expect(await idOf(await makeFile("a.json", "{}"))).not.toBe(await idOf(path));
  });
});
