import { chmod, chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOwnFile } from "../../src/store/state-directory.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("a file of the state in a directory that others may write into", () => {
  it("is not read if others may write it", async () => {
    const path = join(await makeDirectory(), "file");
    await writeFile(path, "");
    await chmod(path, 0o666);
    await expect(readOwnFile(path)).rejects.toThrow("others may write");
  });

  it.runIf(process.getuid?.() === 0)("is not read if it belongs to another user", async () => {
    const path = join(await makeDirectory(), "file");
    await writeFile(path, "");
    await chown(path, 12_345, 0);
    await expect(readOwnFile(path)).rejects.toThrow("it belongs to another user (12345;");
  });
});
