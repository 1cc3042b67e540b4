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

describe("a run without survey", () => {
  it("whose last create was announced but not sent continues with it", async () => {
    const { sandbox, push, state } = await openWorld(["status=401,skip=1"], "num_commande\n1\n2\n");
    expect((await push()).code).toBe(5);
    expect(await state()).toMatchObject({ state: "unfinished", exitCode: 5, inDoubt: 0 });
    sandbox.setFaults([]);
    expect((await push()).code).toBe(0);
    expect(heldBy(sandbox).map(({ num_commande: number }) => number)).toEqual(["1", "2"]);
  });
});
