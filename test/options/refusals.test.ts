import { expect, it } from "vitest";
import { refusalIn, TABLE, useIn } from "../../src/options/table.ts";

it("a plan says of each option of a push that it does not take why, and what to do instead", () => {
  const missing = TABLE.filter(
    ({ declaration }) => useIn("push", declaration) !== undefined && useIn("plan", declaration) === undefined,
  );
  expect(missing.length).toBeGreaterThan(5);
  expect(missing.filter(({ declaration }) => refusalIn("plan", declaration) === undefined)).toEqual([]);
});

it("what a command refuses is no option of it", () => {
  for (const { declaration } of TABLE)
    for (const command of Object.keys(declaration.commands) as (keyof typeof declaration.commands)[])
      expect(useIn(command, declaration) === undefined).toBe(refusalIn(command, declaration) !== undefined);
});
