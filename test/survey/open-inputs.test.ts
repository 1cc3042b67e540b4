import { chmod, mkdir, readdir, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openInputs } from "../../src/survey/survey-inputs.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

describe("the directory for what does not fit into memory", () => {
  it("is made even if another command removes one at the same time", async () => {
    const place = await makeDirectory();
    await symlink(join(place, "gone"), join(place, "rec-push-spool-a"));
    const old = join(place, "rec-push-spool-b");
    await mkdir(old);
    await utimes(old, 1, 1);
    const inputs = await openInputs([await makeFile("a.csv", "cle\nA1\n")], () => Readable.from([]), {
      spoolIn: place,
    });
    const names = await readdir(place);
    await inputs.close();
    expect(names).toHaveLength(2);
    expect(names).not.toContain("rec-push-spool-b");
  });

  // For root every directory can be listed.
  it.skipIf(process.getuid?.() === 0)("is made where nothing can be listed", async () => {
    const place = await makeDirectory();
    await chmod(place, 0o300);
    const inputs = await openInputs([], () => Readable.from([]), { spoolIn: place });
    await inputs.close();
    await chmod(place, 0o700);
    expect(await readdir(place)).toEqual([]);
  });

  it("removes the directories that no process touched for a day, and nothing else", async () => {
    const place = await makeDirectory();
    const [old, recent, other] = ["rec-push-spool-a", "rec-push-spool-b", "rec-push-orders"].map((name) =>
      join(place, name),
    );
    for (const path of [old!, recent!, other!]) await mkdir(path);
    for (const path of [old!, other!]) await utimes(path, 1, 1);
    const inputs = await openInputs([], () => Readable.from([]), { spoolIn: place });
    await inputs.close();
    expect((await readdir(place)).map((name) => join(place, name)).sort()).toEqual([other!, recent!].sort());
  });
});
