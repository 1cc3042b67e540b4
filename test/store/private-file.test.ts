import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PrivateFile, replaceFile } from "../../src/store/private-file.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { draws } from "../support/draws.ts";

/** Long enough that a few of them fill the buffer. */
const long = fc.tuple(fc.constantFrom("a", "é", "€x", "😀"), fc.integer({ min: 1, max: 300_000 }));
const piece = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  { weight: 2, arbitrary: long.map(([text, times]) => text.repeat(times)) },
  long.map(([text, times]) => Buffer.from(text.repeat(times))),
);

describe("PrivateFile", () => {
  it("holds what was written, in order, and says its hash", async () => {
    const path = join(await makeDirectory(), "results.csv");
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const expected = Buffer.concat(pieces.map((one) => Buffer.from(one)));
        const file = new PrivateFile(path, "results");
        for (const one of pieces) await file.write(one);
        let told = "";
        await file.commit(async (sha256) => {
          told = sha256;
          return path;
        });
        await file.discard();
        expect((await readFile(path)).equals(expected)).toBe(true);
        expect(told).toBe(createHash("sha256").update(expected).digest("hex"));
      }),
      draws(40),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is there even if nothing was written, and not before it is complete", async () => {
    const directory = await makeDirectory();
    const file = new PrivateFile(join(directory, "a"), "rejects");
    expect(await readdir(directory)).toEqual([]);
    await file.commit();
    expect(await readFile(join(directory, "a"), "utf8")).toBe("");
    const other = new PrivateFile(join(directory, "b"), "rejects");
    // The second begins to write the first.
    for (let at = 0; at < 2; at++) await other.write("x".repeat(150_000));
    await other.discard();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await readdir(directory)).toEqual(["a"]);
  });

  it("fails at the latest when it is committed, whatever was written meanwhile", async () => {
    const file = new PrivateFile(join(await makeDirectory(), "gone", "a"), "results");
    const write = async (): Promise<void> => {
      for (let at = 0; at < 5; at++) await file.write("x".repeat(400_000));
      await file.commit();
    };
    await expect(write()).rejects.toThrow(/the results cannot be written to .*ENOENT/);
    await file.discard();
  });

  it("fails when it is made where nothing can be written", async () => {
    const file = new PrivateFile(join(await makeDirectory(), "gone", "a"), "rejects");
    await expect(file.create()).rejects.toThrow(/the rejects cannot be written to .*ENOENT/);
  });
});

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
});
