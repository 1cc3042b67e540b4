import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const KILLS = fileURLToPath(new URL("../support/kill-at-summary.mjs", import.meta.url));
const LINE = ["--in-doubt", "resend", "--retries", "0"] as const;

/** A run whose creates are in doubt: of the two requests that lose their answers, the second one was applied. */
async function openDoubt() {
  const world = await openWorld(["drop=before,kind=create,times=1", "drop=after,kind=create,times=1"]);
  const { sandbox, home, command, runs } = world;
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", "num_commande\n1\n2\n3\n");
  expect((await command([file, "-t", "commandes", "--retries", "0"])).code).toBe(8);
  return { ...world, env, resume: ["resume", (await runs())[0]!] };
}

describe("the line of a decision that is typed again", () => {
  it("decides nothing if its command was killed before it told what is in doubt now", async () => {
    const { env, command, numbers, resume } = await openDoubt();
    const killing = { ...env, NODE_OPTIONS: `--import=${KILLS}`, KILL_BEFORE: "1" };
    expect((await startProcess([...resume, ...LINE], killing).ended).signal).toBe("SIGKILL");
    expect(numbers()).toEqual(["1", "2", "3"]);
    const again = await command([...resume, ...LINE]);
    expect(again).toMatchObject({
      code: 8,
      stdout: expect.stringContaining("if they are there: rec-push resume"),
      stderr: expect.stringContaining(
        "was cut off before it said how it ended: 3 records have been in doubt since, and nothing is decided on them yet",
      ),
    });
    expect(numbers()).toEqual(["1", "2", "3"]);
    // This command reported the doubt to its end.
    expect((await command([...resume, "--in-doubt", "applied"])).code).toBe(0);
  });

  it("decides if the first one has told what is in doubt now", async () => {
    const { command, numbers, resume } = await openDoubt();
    expect((await command([...resume, ...LINE])).code).toBe(8);
    expect((await command([...resume, ...LINE])).code).toBe(0);
    // The user says that they are not there.
    expect(numbers()).toEqual(["1", "2", "3", "1", "2", "3"]);
  });
});
