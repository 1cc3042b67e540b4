import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStateDirectory } from "../../src/state/state-directory.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("openStateDirectory", () => {
  it("makes its places, private, below directories that are not there yet", async () => {
    const root = join(await makeDirectory(), "a", "b", "rec-push");
    const { runs } = await openStateDirectory(root);
    for (const directory of [join(root, "..", ".."), root, runs]) {
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
    }
    expect(await openStateDirectory(root)).toMatchObject({ runs });
  });

  it("makes them once for several processes that start at once", async () => {
    const root = join(await makeDirectory(), "a", "b", "rec-push");
    const opened = await Promise.all(Array.from({ length: 20 }, () => openStateDirectory(root)));
    expect(new Set(opened.map(({ runs }) => runs))).toEqual(new Set([join(root, "runs")]));
  });

  it.runIf(existsSync("/proc/self"))("ends where the file system takes no directories", async () => {
    await expect(openStateDirectory("/proc/no/such")).rejects.toMatchObject({
      kind: "machine",
      code: "state-directory",
    });
  });
});
