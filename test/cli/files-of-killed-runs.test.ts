import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";

const CSV = "num_commande\n551000\nx\n551001\n551002\n";
const WORDS =
  "-t commandes --concurrency 1 --batch-size 1 --retries 0 --on-invalid skip --header-line 1".split(" ");

/** The rejects that are named, which hold both rows. */
async function rejectsIn(stdout: string): Promise<string> {
  const [, path = ""] = /Next: mend the 2 rows in (\S+),/.exec(stdout) ?? [];
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/^[^;,]+[;,]2[;,].*551000$/m);
  expect(text).toMatch(/^[^;,]+[;,]3[;,].*x$/m);
  return path;
}

/** It has an invalid row, its first create was refused and its last is in doubt. */
it.each([
  ["a file has them written by the command that decides", "orders.csv"],
  ["standard input has them written by the command that goes on with it", "-"],
])("a run that was killed before it wrote any file of rows: %s, and not written again", async (_, name) => {
  const { file, killAtHang, command } = await openWorld([
    "refuse=num_commande:551000",
    "hang,after-applying,kind=create,skip=2",
  ]);
  await killAtHang([name === "-" ? name : await file(name, CSV), ...WORDS], CSV);
  const decision = await decisionOn(command, "applied");
  const goesOn = async (code: number) => {
    const end = await command(["resume", decision[1]!]);
    expect(end).toMatchObject({ code });
    return rejectsIn(end.stdout);
  };
  const before = name === "-" ? await goesOn(8) : undefined;
  const decided = await command(decision);
  expect(decided).toMatchObject({
    code: 4,
    stdout: expect.stringContaining("2 accepted, 1 refused, 1 rejected"),
  });
  const path = await rejectsIn(decided.stdout);
  expect(before ?? (await goesOn(4))).toBe(path);
});
