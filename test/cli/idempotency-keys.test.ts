import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = 40;
const CREATES = ["num_commande", ...Array.from({ length: ROWS }, (_, at) => 551_000 + at), ""].join("\n");
const KEYS = ["--idempotency-key"];

/** A file of creates, and a service that may honour keys. */
async function openWorld(honourKeys: boolean, faults: readonly string[]) {
  const sandbox = await openSandbox({ faults: [...faults, ...(honourKeys ? ["honour-keys"] : [])] });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", CREATES);
  const argv = [file, "-t", "commandes", "--concurrency", "3", "--batch-size", "7"];
  return {
    sandbox,
    held: () => heldBy(sandbox).map((fiche) => fiche["num_commande"]),
    start: (...more: readonly string[]) => startProcess([...argv, ...more], env),
    push: (...more: readonly string[]) => runProcess([...argv, ...more], { env }),
    run: (...line: readonly string[]) => runProcess(line, { env }),
  };
}

/** Expects every row once. */
function expectAll(held: readonly (string | undefined)[]): void {
  expect(held).toHaveLength(ROWS);
  expect(new Set(held).size).toBe(ROWS);
}

describe("--idempotency-key", () => {
  it("sends creates again if their answers are lost, and creates none of them twice", async () => {
    const { held, push } = await openWorld(true, ["drop=after,kind=create,times=4"]);
    const { code, stdout } = await push(...KEYS);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${ROWS} accepted`)]);
    expectAll(held());
  });

  it("lets no other process send again what a killed one left in doubt", async () => {
    const { sandbox, held, start, run } = await openWorld(true, ["hang,after-applying,kind=create,skip=2"]);
    const killed = start(...KEYS);
    while (held().length < 8) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    sandbox.setFaults(["honour-keys"]);
    const resumed = await run("resume");
    expect([resumed.code, resumed.stdout]).toEqual([8, expect.stringContaining("in doubt")]);
    expect(resumed.stdout).toMatch(/rec-push resume \S+ --in-doubt \S+=applied/);
    expect(new Set(held()).size).toBe(held().length);
  });

  it("is off unless it is asked for", async () => {
    const { held, push } = await openWorld(true, ["drop=after,kind=create,skip=1,times=1"]);
    const { code } = await push();
    expect(code).toBe(8);
    expectAll(held());
  });
});
