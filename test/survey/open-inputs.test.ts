import { chmod, mkdir, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openInputs } from "../../src/survey/survey-inputs.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("the directory for what does not fit into memory", () => {
  // For root every directory can be listed.
  it.skipIf(process.getuid?.() === 0)("is made where nothing can be listed", async () => {
    const place = await makeDirectory();
    await chmod(place, 0o300);
    const inputs = await openInputs([], () => Readable.from([]), { spoolIn: place });
    await inputs.close();
    await chmod(place, 0o700);
    expect(await readdir(place)).toEqual([]);
  });

  it("removes those that nobody used for a week, and nothing else", async () => {
    const place = await makeDirectory();
    const [old, recent, other] = ["rec-push-spool-a", "rec-push-spool-b", "rec-push-orders"].map((name) =>
      join(place, name),
    );
    for (const path of [old!, recent!, other!]) await mkdir(path);
    for (const path of [old!, other!]) await utimes(path, 1, 1);
    const sixDaysAgo = Date.now() / 1000 - 6 * 86_400;
    await utimes(recent!, sixDaysAgo, sixDaysAgo);
    const inputs = await openInputs([], () => Readable.from([]), { spoolIn: place });
    await inputs.close();
    expect((await readdir(place)).sort()).toEqual(["rec-push-orders", "rec-push-spool-b"]);
  });
});
