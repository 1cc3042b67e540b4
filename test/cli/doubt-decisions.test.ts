import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const CREATES = ["num_commande", ...Array.from({ length: 20 }, (_, at) => 551_000 + at), ""].join("\n");

/** Twenty creates in doubt that the service did not apply. */
async function openWorld() {
  const sandbox = await openSandbox({ faults: ["drop=before,kind=create,times=5"] });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", CREATES);
  const pace = ["-t", "commandes", "--concurrency", "1", "--batch-size", "20", "--retries", "0"];
  const first = await runProcess([file, ...pace], { env });
  expect(first.code).toBe(8);
  const held = () => heldBy(sandbox).length;
  return {
    sandbox,
    held,
    start: (...argv: readonly string[]) => startProcess(argv, env),
    run: (...argv: readonly string[]) => runProcess(argv, { env }),
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("resume --in-doubt resend", () => {
  it("that was killed and is typed again sends nothing that came into doubt in the meantime", async () => {
    const { sandbox, held, start, run } = await openWorld();
    sandbox.setFaults(["hang,after-applying,kind=create"]);
    const killed = start("resume", "--in-doubt", "resend");
    await until(() => held() === 20);
    killed.child.kill("SIGKILL");
    await killed.ended;
    sandbox.setFaults([]);
    const again = await run("resume", "--in-doubt", "resend");
    expect(again.code).toBe(8);
    expect(again.stderr).toContain("20 records have been in doubt since, and nothing is decided on them yet");
    expect(held()).toBe(20);
    // By then they were reported, and the user has looked.
    const applied = await run("resume", "--in-doubt", "applied");
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("20 accepted") });
    expect(held()).toBe(20);
  });

  it("counts once the user was told, also by an orderly end", async () => {
    const { sandbox, held, run } = await openWorld();
    sandbox.setFaults(["drop=before,kind=create,times=5"]);
    expect((await run("resume", "--in-doubt", "resend")).code).toBe(8);
    expect(held()).toBe(0);
    sandbox.setFaults([]);
    expect((await run("resume", "--in-doubt", "resend")).code).toBe(0);
    expect(held()).toBe(20);
  });

  it("given twice at once lets only one decide", async () => {
    const { sandbox, held, start } = await openWorld();
    sandbox.setFaults(["latency=300,kind=create"]);
    const resend = () => start("resume", "--in-doubt", "resend", "--wait-lock", "1m").ended;
    const ends = await Promise.all([resend(), resend(), resend()]);
    expect(held()).toBe(20);
    const others = ends.filter(({ code }) => code !== 0);
    expect(others).toHaveLength(2);
    for (const { stderr } of others)
      expect(stderr).toMatch(/another command has meanwhile decided|is being pushed|no run is open/);
  });

  it("is refused while a process pushes the run, whose records in flight are not in doubt", async () => {
    const { sandbox, held, start, run } = await openWorld();
    sandbox.setFaults(["hang,after-applying,kind=create,times=1"]);
    const one = start("resume", "--in-doubt", "resend");
    await until(() => held() === 20);
    const other = await run("resume", "--in-doubt", "resend", "--wait-lock", "1m");
    expect(other.code).toBe(9);
    expect(other.stderr).toContain(`process ${one.child.pid}`);
    const listed = await run("runs");
    expect(listed.stdout).toContain(`running, pid ${one.child.pid}`);
    expect(listed.stdout).not.toContain("ended unexpectedly");
    const json = JSON.parse((await run("runs", "--json")).stdout) as object;
    expect(json).toMatchObject({ running: { pid: one.child.pid }, next: ["wait until it has ended"] });
    one.child.kill("SIGKILL");
    await one.ended;
    expect((await run("runs")).stdout).toContain("its process ended unexpectedly");
    expect(held()).toBe(20);
  });
});
