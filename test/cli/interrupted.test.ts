import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const CREATES = ["num_commande", ...Array.from({ length: 40 }, (_, at) => 1000 + at), ""].join("\n");

async function openWorld(faults: readonly string[]) {
  const sandbox = await openSandbox({ faults });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", CREATES);
  const argv = [file, "-v", "-t", "commandes", "--batch-size", "2", "--concurrency", "4"];
  const numbers = () => heldBy(sandbox).map(({ num_commande: number }) => number);
  return {
    sandbox,
    start: (...more: readonly string[]) => startProcess([...argv, ...more], env),
    command: (...more: readonly string[]) => runProcess(more, { env }),
    push: () => runProcess(argv, { env }),
    numbers,
  };
}

describe("a run that a signal interrupts", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "by %s lets requests in flight finish, stays open, and the same command ends it",
    async (signal, expected) => {
      const { start, push, numbers, command } = await openWorld(["latency=50"]);
      const first = start();
      await first.waitForStdout(/200 Update Items OK/);
      first.child.kill(signal);
      const { code, stdout } = await first.ended;
      expect(code).toBe(expected);
      expect(stdout).toMatch(/40 rows read: \d+ accepted, \d+ not sent/);
      expect(JSON.parse((await command("runs", "--json")).stdout)).toMatchObject({
        state: "unfinished",
        exitCode: expected,
        accepted: numbers().length,
      });
      expect((await push()).code).toBe(0);
      expect(new Set(numbers()).size).toBe(40);
      expect(numbers()).toHaveLength(40);
    },
  );

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "by %s after its last request had left ends with 0, as all was accepted",
    async (signal) => {
      const { start, command, sandbox } = await openWorld(["latency=1500,kind=create"]);
      // All rows are in one request.
      const { child, ended } = start("--batch-size", "500");
      while (sandbox.requests().requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      expect({ code, stdout, stderr }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("40 rows read: 40 accepted"),
        stderr: expect.stringContaining(`${signal}: no new batch is sent`),
      });
      expect(JSON.parse((await command("runs", "--json")).stdout)).toMatchObject({
        state: "finished",
        exitCode: 0,
      });
    },
  );

  it("leaves in doubt what the second signal cut off, and says so to programs", async () => {
    const { start, push, command, sandbox } = await openWorld(["hang,skip=3"]);
    const first = start("--json");
    await first.waitForStdout(/"outcome":"accepted"/);
    for (let tries = 0; sandbox.requests().requests < 4 && tries < 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    first.child.kill("SIGTERM");
    await first.waitForStdout(/a second signal/);
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(8);
    const run = JSON.parse((await command("runs", "--json")).stdout) as Record<string, unknown>;
    expect(run).toMatchObject({ state: "unfinished", exitCode: 8, table: "commandes", read: 40 });
    expect(run["inDoubtAt"]).not.toEqual([]);
    sandbox.setFaults([]);
    expect((await push()).code).toBe(8);
    expect(JSON.parse((await command("runs", "--json")).stdout)).toMatchObject({ state: "unsettled" });
    const settled = await command(
      ...(await decisionOn((argv) => command(...argv), "resend")),
      "--token-file",
      await makeFile("t", sandbox.token),
    );
    expect(settled.code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(40);
  });
});
