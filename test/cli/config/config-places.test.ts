import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findConfig, ownConfigPath, placesOfConfigs } from "../../../src/cli/config/load-configs.ts";
import { readEnvironment } from "../../../src/options/derive.ts";
import { makeDirectory } from "../../support/temp-files.ts";

describe("findConfig", () => {
  it("takes the nearest one, here or above", async () => {
    const top = await makeDirectory();
    const below = join(top, "a", "b");
    await mkdir(below, { recursive: true });
    expect(findConfig(below)).toBeUndefined();
    await writeFile(join(top, "rec-push.config.json"), "{}");
    expect(findConfig(below)).toBe(join(top, "rec-push.config.json"));
    await writeFile(join(top, "a", "rec-push.config.json"), "{}");
    expect(findConfig(below)).toBe(join(top, "a", "rec-push.config.json"));
  });

  it("takes a link that leads nowhere, so that a config that was lost is noticed", async () => {
    const top = await makeDirectory();
    await writeFile(join(top, "rec-push.config.json"), "{}");
    await mkdir(join(top, "a"));
    await symlink("lost.json", join(top, "a", "rec-push.config.json"));
    expect(findConfig(join(top, "a"))).toBe(join(top, "a", "rec-push.config.json"));
  });
});

describe("ownConfigPath", () => {
  it.each<[string, Record<string, string>, string]>([
    ["an absolute XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "/x", HOME: "/h" }, "/x/rec-push/config.json"],
    ["no XDG_CONFIG_HOME", { HOME: "/h" }, "/h/.config/rec-push/config.json"],
    ["an empty one", { XDG_CONFIG_HOME: "", HOME: "/h" }, "/h/.config/rec-push/config.json"],
    ["a relative one", { XDG_CONFIG_HOME: "x", HOME: "/h" }, "/h/.config/rec-push/config.json"],
  ])("is in the user's directory: %s", (_, env, path) => {
    expect(ownConfigPath(env)).toBe(path);
  });

  it.each([{ HOME: "." }, { HOME: "" }, {}])("is never in the working directory: %j", (env) => {
    expect(ownConfigPath(env)).toMatch(/^\/.*\.config\/rec-push\/config\.json$/);
  });
});

describe("placesOfConfigs", () => {
  it("orders them: the option before the environment, then the one found, then the user's own", async () => {
    const home = await makeDirectory();
    const cwd = await makeDirectory();
    const own = join(home, "rec-push", "config.json");
    const found = join(cwd, "rec-push.config.json");
    const places = async (
      line: Record<string, string>,
      env: Record<string, string> = {},
    ): Promise<string[][]> =>
      placesOfConfigs({ ...readEnvironment(env), ...line }, { cwd, env: { XDG_CONFIG_HOME: home } }).map(
        ({ origin, path }) => [origin, path],
      );
    expect(await places({})).toEqual([]);
    await mkdir(join(home, "rec-push"));
    await writeFile(own, "{}");
    expect(await places({})).toEqual([["own", own]]);
    await writeFile(found, "{}");
    const others = [
      ["found", found],
      ["own", own],
    ];
    expect(await places({}, { REC_PUSH_CONFIG: "" })).toEqual(others);
    expect(await places({}, { REC_PUSH_CONFIG: "e.json" })).toEqual([
      ["named", join(cwd, "e.json")],
      ...others,
    ]);
    expect(await places({ config: "/o.json" }, { REC_PUSH_CONFIG: "e.json" })).toEqual([
      ["named", "/o.json"],
      ...others,
    ]);
  });
});
