import { writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { SpillRoom } from "../../src/prepare/thread/outlet.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("the file in which records wait", () => {
  it("has no name, and its room begins behind what is kept", async () => {
    const directory = await makeDirectory();
    const room = new SpillRoom(directory);
    const first = await room.free();
    room.keep(1000);
    room.keep(500);
    const second = await room.free();
    expect(await readdir(directory)).toEqual([]);
    expect([first?.spill.from, second?.spill.from]).toEqual([0, 1000]);
    expect(second?.spill.fd).toBe(first?.spill.fd);
    await room.close();
  });

  it("is not cut to nothing for another attempt, after which ext4 would write it to the disk as it is closed", async () => {
    const room = new SpillRoom(await makeDirectory());
    const first = await room.free();
    writeSync(first!.spill.fd, Buffer.alloc(5000, 1), 0, 5000, 0);
    const again = await room.free();
    expect((await again!.file.stat()).size).toBe(5000);
    expect(again?.spill.from).toBe(0);
    await room.close();
  });

  it("is no room where the directory is gone", async () => {
    expect(await new SpillRoom("/does/not/exist").free()).toBeUndefined();
  });
});
