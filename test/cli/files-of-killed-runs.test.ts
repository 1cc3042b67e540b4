import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";

const CSV = "num_commande\n551000\nx\n551001\n551002\n";
const WORDS =
  "-t commandes --concurrency 1 --batch-size 1 --retries 0 --on-invalid skip --header-line 1".split(" ");

/** A run with an invalid row, whose first create was refused and whose last is in doubt: it was killed before it wrote any file of rows. */
async function killRun(name: string) {
  const { file, killAtHang, command, runs } = await openWorld([
    "refuse=num_commande:551000",
    "hang,after-applying,kind=create,skip=2",
  ]);
  await killAtHang([name === "-" ? name : await file(name, CSV), ...WORDS], CSV);
  const [run = ""] = await runs();
  const decide = await decisionOn(command, "applied", run);
  return {
    resume: () => command(["resume", run]),
    decides: async (): Promise<string> => {
      const { code, stdout } = await command(decide);
      expect([code, stdout]).toEqual([4, expect.stringContaining("2 accepted, 1 refused, 1 rejected")]);
      return stdout;
    },
  };
}

/** The rejects that are named, which hold both rows. */
async function rejectsIn(stdout: string): Promise<string> {
  const [, path = ""] = /Next: mend the 2 rows in (\S+),/.exec(stdout) ?? [];
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/^[^;,]+[;,]2[;,].*551000$/m);
  expect(text).toMatch(/^[^;,]+[;,]3[;,].*x$/m);
  return path;
}

it("a killed run of a file has what it did not write written by the command that decides, and not written again", async () => {
  const { decides, resume } = await killRun("orders.csv");
  const path = await rejectsIn(await decides());
  expect(await rejectsIn((await resume()).stdout)).toBe(path);
});

it("a killed run of standard input has it written by the command that goes on with it", async () => {
  const { decides, resume } = await killRun("-");
  const { code, stdout } = await resume();
  expect([code, stdout]).toEqual([8, expect.stringContaining("in doubt: 1 create")]);
  await rejectsIn(stdout);
  await decides();
});
