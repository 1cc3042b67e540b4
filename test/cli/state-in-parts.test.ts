import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const creates = (from: number, rows: number): string =>
  ["num_commande", ...Array.from({ length: rows }, (_, at) => from + at), ""].join("\n");

/** A state directory with a run that is open since its process was killed, and means to push more. */
async function openWorld() {
  const sandbox = await openSandbox({ faults: ["latency=30"] });
  const home = makeStateHome();
  const state = join(home, "rec-push");
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const pace = ["--batch-size", "1", "--concurrency", "1"];
  const killed = await makeFile("killed.csv", creates(1000, 40));
  const first = startProcess([killed, "-v", "-t", "commandes", ...pace], env);
  await first.waitForStdout(/(200 Update Items OK[^]*){3}/);
  first.child.kill("SIGKILL");
  await first.ended;
  const [run = ""] = await readdir(join(state, "runs"));
  return {
    run,
    state,
    killed,
    command: (argv: readonly string[]) => runProcess(argv, { env }),
    push: async (from: number, rows: number, table = "commandes") =>
      runProcess([await makeFile("more.csv", creates(from, rows)), "-t", table, ...pace], { env }),
    /** How many records are in the service more than once. */
    twice: () => {
      const numbers = heldBy(sandbox).map(({ num_commande: number }) => number);
      return numbers.length - new Set(numbers).size;
    },
  };
}

describe.runIf(process.platform === "linux")("a journal", () => {
  it.each<[string, (path: string) => unknown]>([
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a directory", (path) => mkdir(path)],
  ])("whose place %s has stops its own table only, and says how it goes on", async (_, put) => {
    const { state, run, push, command, twice } = await openWorld();
    const journal = join(state, "runs", run, "journal");
    await rm(journal);
    await put(journal);
    expect((await push(5000, 2, "factures")).code).toBe(0);
    const listed = await command(["runs"]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(run);
    const { code, stderr } = await push(6000, 2);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `the journal ${journal} cannot be read: something that is not a file has its place`,
    );
    expect(stderr).toContain(`rec-push runs --abandon ${run}`);
    expect((await command(["runs", "--abandon", run])).code).toBe(0);
    expect((await push(6000, 2)).code).toBe(0);
    expect(twice()).toBe(0);
  });
});
