import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn } from "../support/table-parts.ts";

const creates = (from: number): string =>
  ["num_commande", ...Array.from({ length: 16 }, (_, at) => from + at), ""].join("\n");

/** A process that holds the table for some seconds, and functions to start others. */
async function openWorld() {
  const sandbox = await openSandbox({ faults: ["latency=60"] });
  const env = {
    XDG_STATE_HOME: makeStateHome(),
    REC_PUSH_URL: sandbox.url,
    REC_PUSH_TOKEN: sandbox.token,
  };
  const argv = ["-v", "--batch-size", "1", "--concurrency", "1"];
  const table = ["--table", "commandes"];
  const first = startProcess([await makeFile("first.csv", creates(1000)), ...table, ...argv], env);
  await first.waitForStdout(/200 Update Items OK/);
  const second = await makeFile("second.csv", creates(2000));
  const push = (...more: readonly string[]) =>
    runProcess([second, ...(more.includes("--table") ? [] : table), ...argv, ...more], { env });
  return { sandbox, env, first, push };
}

describe("a table that another process pushes to", () => {
  it("is left alone, with exit 9, and its run is not given up", async () => {
    const { sandbox, env, first, push } = await openWorld();
    const { code, stderr, stdout } = await push();
    expect(code).toBe(9);
    expect(stdout + stderr).toContain(`process ${first.child.pid}`);
    expect(stdout + stderr).toContain("--wait-lock");
    const [run = ""] = await readdir(runsIn(join(env.XDG_STATE_HOME, "rec-push")));
    const abandoned = await runProcess(["runs", "abandon", run], { env });
    expect([abandoned.code, abandoned.stderr]).toEqual([
      9,
      expect.stringContaining(`process ${first.child.pid}`),
    ]);
    expect((await push("--table", "factures")).code).toBe(0);
    expect((await first.ended).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(16);
  });

  it("is waited for with --wait-lock", async () => {
    const { sandbox, first, push } = await openWorld();
    const [second, { code }] = await Promise.all([push("--wait-lock", "1m"), first.ended]);
    expect([code, second.code]).toEqual([0, 0]);
    const numbers = heldBy(sandbox).map(({ num_commande: number }) => Number(number));
    expect(numbers).toHaveLength(32);
    expect(numbers.findIndex((number) => number >= 2000)).toBe(16);
  });
});
