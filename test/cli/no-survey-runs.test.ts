import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

async function openWorld(faults: readonly string[], text: string) {
  const sandbox = await openSandbox({ faults });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", text);
  return {
    sandbox,
    push: () => pushTo(sandbox, [file, "--no-survey", "--batch-size", "1", "--concurrency", "1"], { env }),
    state: async () =>
      JSON.parse((await runMain(["runs", "--json"], { env })).stdout) as Record<string, unknown>,
  };
}

/** A push without survey of this text, and what `rec-push runs` says after it. */
async function openSteps(text: string) {
  const sandbox = await openSandbox();
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", text);
  const command = (argv: readonly string[]) => runMain(argv, { env, others: "nothing" });
  const pinned = ["--no-survey", "--date-format", "YYYY-MM-DD", "--batch-size", "1", "--concurrency", "1"];
  return {
    sandbox,
    command,
    push: () => command([file, "-t", "commandes", ...pinned]),
    listed: async () => (await command(["runs"])).stdout,
  };
}

describe("a run without survey", () => {
  it("whose last create was announced but not sent continues with it", async () => {
    const { sandbox, push, state } = await openWorld(["status=401,skip=1"], "num_commande\n1\n2\n");
    expect((await push()).code).toBe(5);
    expect(await state()).toMatchObject({ state: "unfinished", exitCode: 5, inDoubt: 0 });
    sandbox.setFaults([]);
    expect((await push()).code).toBe(0);
    expect(heldBy(sandbox).map(({ num_commande: number }) => number)).toEqual(["1", "2"]);
  });

  it("that an invalid row stopped is told to go on without such rows, which it then does", async () => {
    const world = await openSteps("cle,date_billed\nA1,2016-07-13\nA2,soon\nA3,2016-07-15\n");
    expect((await world.push()).code).toBe(4);
    const [, words = ""] = /Next: send the other rows, .*: rec-push (.*)$/m.exec(await world.listed()) ?? [];
    expect(words).toMatch(/^resume \S+ --on-invalid skip$/);
    const { code, stdout } = await world.command(words.split(" "));
    expect([code, stdout]).toEqual([4, expect.stringContaining("2 accepted, 1 rejected")]);
    expect(heldBy(world.sandbox)).toHaveLength(2);
  });
});

it("a run of which the database version was refused is told to be pushed with another", async () => {
  const { sandbox, push, listed } = await openSteps("cle,date_billed\nA1,2016-07-13\n");
  sandbox.setFaults(["status=400,msg=Invalid database version."]);
  expect((await push()).code).toBe(6);
  expect(await listed()).toMatch(
    /Next: give the right database version, and push \S+ again, which closes this run/,
  );
  expect(await listed()).not.toContain("sends the rest");
});
