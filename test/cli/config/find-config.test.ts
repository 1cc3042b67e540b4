import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findConfig, readConfigFile, refuseForeign } from "../../../src/cli/config/find-config.ts";
import type { RecPushError } from "../../../src/model/failure.ts";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";

describe("findConfig", () => {
  it("takes the nearest one, here or above", async () => {
    const top = await makeDirectory();
    const below = join(top, "a", "b");
    await mkdir(below, { recursive: true });
    expect(await findConfig(below)).toBeUndefined();
    await writeFile(join(top, "rec-push.config.json"), "{}");
    expect(await findConfig(below)).toBe(join(top, "rec-push.config.json"));
    await writeFile(join(top, "a", "rec-push.config.json"), "{}");
    expect(await findConfig(below)).toBe(join(top, "a", "rec-push.config.json"));
  });
});

describe("readConfigFile", () => {
  it.each([
    [0o600, true],
    [0o644, true],
    [0o664, true],
    [0o646, false],
    [0o666, false],
  ])("reads a file with mode %o: %s", async (mode, isRead) => {
    const path = await makeFile("rec-push.config.json", "{}");
    await chmod(path, mode);
    const outcome = await readConfigFile(path).catch((error: RecPushError) => error.code);
    expect(outcome).toBe(isRead ? "{}" : "config-writable");
  });

  it("names what cannot be read", async () => {
    const path = join(await makeDirectory(), "absent.json");
    await expect(readConfigFile(path)).rejects.toThrow(`cannot read the config ${path}: ENOENT`);
  });
});

describe("refuseForeign", () => {
  it.each([
    ["the user's own", 1000, 1000, true],
    ["root's", 0, 1000, true],
    ["another user's", 1001, 1000, false],
    ["a user's, read by root", 1001, 0, false],
  ])("takes %s file", (_, owner, user, isTaken) => {
    let told = "";
    try {
      refuseForeign("c.json", 0o100644, owner, user);
    } catch (error) {
      told = (error as RecPushError).message;
    }
    expect(told).toBe(isTaken ? "" : "the config c.json belongs to another user");
  });
});
