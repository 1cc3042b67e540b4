import { readdir, readFile, rm, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

/** A run of three creates whose process ended right after the first entry of its journal was on disk. */
async function stillborn(isNoted: boolean) {
  const sandbox = await openSandbox({ faults: ["status=401,times=1"] });
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", "num_commande\n1\n2\n3\n");
  const push = () => pushTo(sandbox, [file], { env });
  await push();
  const runs = join(home, "rec-push", "runs");
  const [run = ""] = await readdir(runs);
  const journal = join(runs, run, "journal");
  await truncate(journal, (await readFile(journal)).indexOf("\n") + 1);
  const open = join(home, "rec-push", "open");
  for (const mark of await readdir(open)) await truncate(join(open, mark));
  if (!isNoted) {
    const contents = join(home, "rec-push", "contents");
    await rm(contents, { recursive: true });
  }
  return { sandbox, push, runs, run, command: (argv: readonly string[]) => runMain(argv, { env }) };
}

describe("a run that ended before it had begun", () => {
  it.each([[true], [false]])("blocks nothing (its content has an entry for it: %s)", async (isNoted) => {
    const { sandbox, push, command } = await stillborn(isNoted);
    const second = await push();
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("3 accepted") });
    expect(second.stderr).not.toContain("open");
    expect((await push()).stdout).toContain("3 skipped");
    expect(heldBy(sandbox)).toHaveLength(3);
    expect((await command(["resume"])).stderr).toContain("no run is open");
  });

  it("cannot be resumed beside the run that its content got instead", async () => {
    const { sandbox, push, command, run } = await stillborn(false);
    await push();
    expect((await command(["resume", run])).stderr).toContain("nothing was sent");
    expect(heldBy(sandbox)).toHaveLength(3);
  });

  it("goes with the old runs", async () => {
    const { command, runs, run } = await stillborn(true);
    await command(["runs", "prune"]);
    expect(await readdir(runs)).toEqual([run]);
    const dayBeforeYesterday = new Date(Date.now() - 2 * 86_400_000);
    await utimes(join(runs, run), dayBeforeYesterday, dayBeforeYesterday);
    await command(["runs", "prune"]);
    expect(await readdir(runs)).toEqual([]);
  });
});
