import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const CREATES = ["num_commande", ...Array.from({ length: 20 }, (_, at) => 551_000 + at), ""].join("\n");

/** Twenty creates in doubt that the service did not apply, and the lines that decide on them. */
async function openWorld() {
  const sandbox = await openSandbox({ faults: ["drop=before,kind=create,times=5"] });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", CREATES);
  const pace = ["-t", "commandes", "--concurrency", "1", "--batch-size", "20", "--retries", "0"];
  const first = await runProcess([file, ...pace], { env });
  expect(first.code).toBe(8);
  const held = () => heldBy(sandbox).length;
  const run = (...argv: readonly string[]) => runProcess(argv, { env });
  return {
    sandbox,
    held,
    start: (...argv: readonly string[]) => startProcess(argv, env),
    run,
    lineFor: (answer: "applied" | "resend") => decisionOn((argv) => run(...argv), answer),
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("resume --in-doubt NAME=resend", () => {
  it("that was killed and is typed again sends nothing that came into doubt in the meantime", async () => {
    const { sandbox, held, start, run, lineFor } = await openWorld();
    const resend = await lineFor("resend");
    sandbox.setFaults(["hang,after-applying,kind=create"]);
    const killed = start(...resend);
    await until(() => held() === 20);
    killed.child.kill("SIGKILL");
    await killed.ended;
    sandbox.setFaults([]);
    const again = await run(...resend);
    expect(again.code).toBe(8);
    expect(again.stderr).toContain("was decided before (to be sent): this line decides nothing");
    expect(held()).toBe(20);
    // By then they were reported, and the user has looked.
    const applied = await run(...(await lineFor("applied")));
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("20 accepted") });
    expect(held()).toBe(20);
  });

  it("sends them with the name that was told last", async () => {
    const { sandbox, held, run, lineFor } = await openWorld();
    sandbox.setFaults(["drop=before,kind=create,times=5"]);
    expect((await run(...(await lineFor("resend")))).code).toBe(8);
    expect(held()).toBe(0);
    sandbox.setFaults([]);
    expect((await run(...(await lineFor("resend")))).code).toBe(0);
    expect(held()).toBe(20);
  });

  it("given three times at once decides once", async () => {
    const { sandbox, held, start, lineFor } = await openWorld();
    const line = await lineFor("resend");
    sandbox.setFaults(["latency=300,kind=create"]);
    const resend = () => start(...line, "--wait-lock", "1m").ended;
    const ends = await Promise.all([resend(), resend(), resend()]);
    expect(held()).toBe(20);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ends.filter(({ stderr }) => stderr.includes("was decided before"))).toHaveLength(2);
  });

  it("waits while a process pushes the run, whose records in flight are not in doubt", async () => {
    const { sandbox, held, start, run, lineFor } = await openWorld();
    const resend = await lineFor("resend");
    sandbox.setFaults(["hang,after-applying,kind=create,times=1"]);
    const one = start(...resend);
    await until(() => held() === 20);
    const other = await run(...resend);
    expect(other.code).toBe(9);
    expect(other.stdout + other.stderr).toContain(`${one.child.pid}`);
    const listed = await run("runs");
    expect(listed.stdout).toContain(`running, pid ${one.child.pid}`);
    expect(listed.stdout).not.toContain("ended unexpectedly");
    const json = JSON.parse((await run("runs", "--json")).stdout) as object;
    expect(json).toMatchObject({
      running: { pid: one.child.pid },
      next: [{ why: "wait until it has ended" }],
    });
    const waiting = start(...resend, "--wait-lock", "1m");
    one.child.kill("SIGKILL");
    await one.ended;
    expect((await waiting.ended).code).toBe(8);
    expect(held()).toBe(20);
  });
});

describe("resume --in-doubt of a run that was given up, with --json", () => {
  it("says in events what is open, and what became of it", async () => {
    const { run, lineFor } = await openWorld();
    const [resume, name = "", option, applied = ""] = await decisionOn((argv) => run(...argv), "applied");
    await run("runs", "abandon", name);
    const told = async (...line: readonly string[]) => {
      const { code, stdout } = await run(...line, "--json");
      const events = stdout.trim().split("\n");
      return { code, events: events.map((line) => JSON.parse(line) as Record<string, unknown>) };
    };
    const open = await told(...(await lineFor("resend")));
    expect(open.code).toBe(8);
    expect(open.events.at(-1)).toMatchObject({ event: "summary", exitCode: 8, inDoubt: 20 });
    expect(JSON.stringify(open.events.at(-1))).toContain(`rec-push resume ${name} --in-doubt ${applied}`);
    const decided = await told(resume!, name, option!, applied);
    expect(decided.code).toBe(0);
    expect(decided.events.at(-1)).toMatchObject({ event: "summary", exitCode: 0, accepted: 20, inDoubt: 0 });
    expect((await told(resume!, name, option!, applied)).code).toBe(0);
  });
});
