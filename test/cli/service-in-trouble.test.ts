import { describe, expect, it } from "vitest";
import { answer, startService } from "../send/support/http-service.ts";
import { openWorld } from "../support/open-world.ts";
import { heldBy } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const updates = (count: number): string =>
  `cle,num_commande\n${Array.from({ length: count }, (_, at) => `A${at},${551_000 + at}\n`).join("")}`;
const creates = (count: number): string =>
  `num_commande\n${Array.from({ length: count }, (_, at) => `${551_000 + at}\n`).join("")}`;
const ONE_BY_ONE = ["--batch-size", "1", "--concurrency", "1", "--retries", "0"];

/** The event of `rec-push runs --json` about the only run. */
async function onlyRun(world: Awaited<ReturnType<typeof openWorld>>) {
  const { events, stdout } = await world.command(["runs", "--json"]);
  expect(stdout.trim().split("\n")).toHaveLength(1);
  return events()[0] as Record<string, unknown> & { next: string[] };
}

describe("a service in trouble", () => {
  it("that keeps failing is left alone after --max-failed batches in a row; the same command goes on", async () => {
    const world = await openWorld(["status=500,skip=2"]);
    const file = await makeFile("orders.csv", updates(10));
    const first = await world.push([file, ...ONE_BY_ONE, "--max-failed", "3"]);
    expect(first.stdout).toContain("10 rows read: 2 accepted, 3 failed, 5 not sent");
    expect(first.stderr).toContain("3 batches in a row failed or are in doubt");
    expect(first.stdout).toContain("Next: run the same command again");
    expect(first.code).toBe(7);
    const { state, accepted, failed, notSent, exitCode, next } = await onlyRun(world);
    expect({ state, accepted, failed, notSent, exitCode }).toEqual({
      state: "unfinished",
      accepted: 2,
      failed: 3,
      notSent: 5,
      exitCode: 7,
    });
    expect(next).toEqual([
      { why: "", command: expect.stringMatching(/^rec-push resume \S+$/), after: "sends the rest" },
    ]);
    expect((await world.command(["runs"])).stdout).toContain("  exit 7: 3 batches in a row failed");
    world.sandbox.setFaults([]);
    const second = await world.push([file]);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining("10 rows read: 10 accepted")]);
    expect(await onlyRun(world)).toMatchObject({ state: "finished", next: [] });
  });

  it("that asks to wait for longer than --max-wait ends the run, naming the time", async () => {
    const world = await openWorld(["status=429,retry-after=3600"]);
    const file = await makeFile("orders.csv", updates(3));
    const { code, stdout, stderr } = await world.push([file]);
    expect(stderr).toContain("the service asks to wait 60 min in total: 429");
    expect(stderr).toContain("--max-wait");
    expect(stdout).toContain("3 rows read: 3 not sent");
    expect(code).toBe(7);
    expect(await onlyRun(world)).toMatchObject({ state: "unfinished", notSent: 3 });
    world.sandbox.setFaults([]);
    expect((await world.command(["resume"])).stdout).toContain("3 rows read: 3 accepted");
  });

  it("that slows down is waited for, and says so", async () => {
    const world = await openWorld(["status=429,retry-after=1,times=1"]);
    const file = await makeFile("orders.csv", updates(3));
    const { code, events } = await world.push([file, "--json"]);
    expect(events().find(({ event }) => event === "waiting")).toMatchObject({ ms: 1000 });
    expect(events().at(-1)).toMatchObject({ accepted: 3, batches: 1, exitCode: 0 });
    expect(code).toBe(0);
  });

  it("that refuses every record is found out after twenty", async () => {
    const world = await openWorld(["status=422,msg=No such field."]);
    const file = await makeFile("orders.csv", updates(64));
    const { code, stdout, stderr } = await world.push([file, "--concurrency", "1"]);
    expect(stderr).toContain(
      "the service refused 20 records in a row, each sent alone (422): No such field.",
    );
    expect(stdout).toContain("64 rows read: 20 refused, 44 not sent");
    expect(code).toBe(4);
    expect(await onlyRun(world)).toMatchObject({ state: "unfinished", refused: 20, notSent: 44 });
  });

  it("that refuses a batch of creates: the step that is named finds the bad one", async () => {
    const world = await openWorld(["refuse=num_commande:551001"]);
    const { code, stdout } = await world.push([await makeFile("orders.csv", creates(3))]);
    expect(code).toBe(8);
    const [, step = ""] = /if they are not: rec-push (.*)\n/.exec(stdout) ?? [];
    const settled = await world.command(step.split(" "));
    expect(settled.stdout).toContain("3 rows read: 2 accepted, 1 refused");
    expect(settled.code).toBe(4);
    expect(await onlyRun(world)).toMatchObject({ state: "finished" });
  });

  it("that fails an update keeps the later rows with its key back, and a resume keeps their order", async () => {
    const world = await openWorld(["status=500,match=old"]);
    const file = await makeFile("orders.csv", "cle,state\nA1,old\nA2,x\nA1,new\nA3,x\n");
    const { code, stdout } = await world.push([file, ...ONE_BY_ONE]);
    expect(stdout).toContain("4 rows read: 2 accepted, 1 failed, 1 not sent");
    expect(code).toBe(7);
    expect(await onlyRun(world)).toMatchObject({ state: "unfinished", failed: 1, notSent: 1 });
    world.sandbox.setFaults([]);
    const second = await world.push([file, ...ONE_BY_ONE, "--json"]);
    const sent = second.events().filter(({ event }) => event === "batch");
    expect(sent.map(({ first }) => (first as { line: number }).line)).toEqual([2, 4]);
    expect(heldBy(world.sandbox)).toContainEqual({ cle: "A1", state: "new" });
  });

  it("that loses creates gets one at a time until it accepts one", async () => {
    let open = 0;
    const atOnce: number[] = [];
    const service = await startService(({ number, socket }, response) => {
      open += 1;
      atOnce.push(open);
      response.once("close", () => (open -= 1));
      setTimeout(() => (number <= 3 ? socket.destroy() : answer(response)), 20);
    });
    const env = { REC_PUSH_URL: service.url, REC_PUSH_TOKEN: "t", XDG_STATE_HOME: makeStateHome() };
    const file = await makeFile("orders.csv", creates(12));
    const { code, stdout } = await runMain([file, "-t", "t", "--batch-size", "1", "--concurrency", "4"], {
      env,
    });
    expect(stdout).toContain("12 rows read: 9 accepted, 3 in doubt");
    expect(code).toBe(8);
    expect(atOnce.slice(0, 4)).toEqual([1, 1, 1, 1]);
    expect(Math.max(...atOnce)).toBeGreaterThan(1);
  });
});
