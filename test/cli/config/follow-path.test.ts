import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followPath } from "../../../src/cli/config/follow-path.ts";
import { makeDirectory } from "../../support/temp-files.ts";

describe("followPath", () => {
  it("ends where the system does, or fails as it does", async () => {
    const top = await realpath(await makeDirectory());
    const name = fc.constantFrom("a", "b", "l", "m", "f", "..", ".", "");
    const goal = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    let found = 0;
    await fc.assert(
      fc.asyncProperty(goal, goal, goal, fc.boolean(), async (l, m, path, isAbsolute) => {
        await Promise.all(["a", "b"].map((part) => mkdir(join(top, part), { recursive: true })));
        await writeFile(join(top, "a", "f"), "");
        await symlink(isAbsolute ? `${top}/${l}` : l || ".", join(top, "l"));
        await symlink(m || ".", join(top, "a", "m"));
        try {
          const asked = `${top}/${path}`;
          const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? "";
          const expected = await realpath(asked).catch(codeOf);
          if (expected.startsWith("/")) found += 1;
          expect(await followPath(asked).then((followed) => followed.path, codeOf)).toBe(expected);
        } finally {
          await Promise.all(["a", "b", "l"].map((part) => rm(join(top, part), { recursive: true })));
        }
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it("names each link on the way, in directories too", async () => {
    const top = await realpath(await makeDirectory());
    await mkdir(join(top, "real"));
    await writeFile(join(top, "real", "file"), "");
    await symlink("real", join(top, "first"));
    await symlink("../first/file", join(top, "real", "second"));
    const { path, links } = await followPath(join(top, "first", "second"));
    expect(path).toBe(join(top, "real", "file"));
    expect(links.map((link) => link.path)).toEqual([
      join(top, "first"),
      join(top, "real", "second"),
      join(top, "first"),
    ]);
  });
});
