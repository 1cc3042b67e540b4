import { describe, expect, it } from "vitest";
import { spellOptionsType } from "./spell-options-type.ts";

describe("the options of the library", () => {
  it.each(["push", "check"] as const)("are those of the table, for %s", async (command) => {
    await expect(await spellOptionsType(command)).toMatchFileSnapshot(
      `../../src/library/${command}-options.ts`,
    );
  });
});
