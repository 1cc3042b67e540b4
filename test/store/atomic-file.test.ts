import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile } from "../../src/store/private-file.ts";
import { makeDirectory } from "../support/temp-files.ts";

async function makeOld(): Promise<{ directory: string; path: string }> {
  const directory = await makeDirectory();
  const path = join(directory, "file");
  await writeFile(path, "old");
  return { directory, path };
}

describe("replaceFile", () => {
  it("leaves the previous file as it was until all of the new one is written", async () => {
    const { directory, path } = await makeOld();
    await replaceFile(path, async (file) => {
      await file.write("new, ");
      expect(await readFile(path, "utf8")).toBe("old");
      await file.write(Buffer.from("whole"));
      expect(await readFile(path, "utf8")).toBe("old");
    });
    expect(await readFile(path, "utf8")).toBe("new, whole");
    expect(await readdir(directory)).toEqual(["file"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("leaves the previous file and nothing else if writing fails", async () => {
    const { directory, path } = await makeOld();
    const failing = replaceFile(path, async (file) => {
      await file.write("ne");
      throw new Error("no room");
    });
    await expect(failing).rejects.toThrow("no room");
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(directory)).toEqual(["file"]);
  });

  it("leaves nothing else where the place cannot be taken", async () => {
    const { directory } = await makeOld();
    await expect(replaceFile(directory, "text")).rejects.toThrow(directory);
    expect(await readdir(join(directory, ".."))).not.toContainEqual(
      expect.stringContaining(`.${directory.split("/").at(-1)}.`),
    );
  });
});
