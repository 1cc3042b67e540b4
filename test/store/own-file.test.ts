import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readOwnFile } from "../../src/store/state-directory.ts";
import { makeDirectory } from "../support/temp-files.ts";

async function listenAt(path: string): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(path, listening));
}

describe("a file of the state", () => {
  it.each<[string, (path: string) => unknown, string?]>([
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a directory", (path) => mkdir(path)],
    ["a socket", listenAt, "ENXIO"],
    [
      "one that others may write",
      (path) => writeFile(path, "").then(() => chmod(path, 0o666)),
      "others may write",
    ],
  ])(
    "is not read if %s has its place",
    async (_, put, why = "something other than a file is in its place") => {
      const path = join(await makeDirectory(), "file");
      await put(path);
      await expect(readOwnFile(path)).rejects.toThrow(why);
    },
  );

  it.runIf(process.getuid?.() === 0)("is not read if it belongs to another user", async () => {
    const path = join(await makeDirectory(), "file");
    await writeFile(path, "");
    await chown(path, 12_345, 0);
    await expect(readOwnFile(path)).rejects.toThrow("it belongs to another user (12345;");
  });
});
