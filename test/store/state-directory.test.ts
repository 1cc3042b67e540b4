import { existsSync } from "node:fs";
import { chmod, chown, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStateDirectory, placeOfTable, readOwnFile } from "../../src/store/state-directory.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("openStateDirectory", () => {
  it("makes its places, private, below directories that are not there yet", async () => {
    const root = join(await makeDirectory(), "a", "b", "rec-push");
    const { tables } = await openStateDirectory(root);
    for (const directory of [join(root, "..", ".."), root, tables]) {
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
    }
    expect(await openStateDirectory(root)).toMatchObject({ tables });
  });

  it("makes them once for several processes that start at once", async () => {
    const root = join(await makeDirectory(), "a", "b", "rec-push");
    const opened = await Promise.all(Array.from({ length: 20 }, () => openStateDirectory(root)));
    expect(new Set(opened.map(({ tables }) => tables))).toEqual(new Set([join(root, "tables")]));
  });

  it.runIf(existsSync("/proc/self"))("ends where the file system takes no directories", async () => {
    await expect(openStateDirectory("/proc/no/such")).rejects.toMatchObject({ code: "state-directory" });
  });

  it.each(["", "tables", "incoming"])("refuses a part that others may write (%j)", async (part) => {
    const root = join(await makeDirectory(), "rec-push");
    await openStateDirectory(root);
    await chmod(join(root, part), 0o777);
    await expect(openStateDirectory(root)).rejects.toMatchObject({
      kind: "machine",
      code: "state-directory",
      message: expect.stringContaining(`${join(root, part)} cannot be used: others may write into it`),
    });
  });

  it.runIf(process.getuid?.() === 0).each(["", "tables"])(
    "refuses a part of another user (%j)",
    async (part) => {
      const root = join(await makeDirectory(), "rec-push");
      await openStateDirectory(root);
      await chown(join(root, part), 12_345, 0);
      await expect(openStateDirectory(root)).rejects.toMatchObject({
        message: expect.stringContaining(
          `${join(root, part)} cannot be used: it belongs to another user (12345`,
        ),
      });
    },
  );
});

it.each([
  ["http://127.0.0.1:8080/api", "http://localhost:8080/api", true],
  ["HTTP://Service.example:80/api", "http://service.example/api", true],
  ["http://service.example/api", "http://service.example:81/api", false],
])("the table at %s is that at %s: %s", (url, other, isOne) => {
  const [one, two] = [url, other].map((at) => placeOfTable({ tables: "tables" }, { url: at }));
  expect(one === two).toBe(isOne);
});

it("a file in a directory that others may write into is not read if others may write it", async () => {
  const path = join(await makeDirectory(), "file");
  await writeFile(path, "");
  await chmod(path, 0o666);
  await expect(readOwnFile(path)).rejects.toThrow("others may write");
});
