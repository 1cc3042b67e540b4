import { mkdir, readdir, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openInputs } from "../../src/survey/open-inputs.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

/** Larger than any process number. */
const DEAD = 999_999_999;

describe("the directory for what does not fit into memory", () => {
  it("is made beside one that another command takes away at the same time", async () => {
    const place = await makeDirectory();
    await symlink(join(place, "gone"), join(place, `rec-push-${DEAD}-a`));
    const old = join(place, `rec-push-${DEAD}-b`);
    await mkdir(old);
    await utimes(old, 1, 1);
    const inputs = await openInputs([await makeFile("a.csv", "cle\nA1\n")], Readable.from([]), {
      spoolIn: place,
    });
    const names = await readdir(place);
    await inputs.close();
    expect(names.map((name) => name.startsWith(`rec-push-${process.pid}-`))).toContain(true);
    expect(names).not.toContain(`rec-push-${DEAD}-b`);
  });
});
