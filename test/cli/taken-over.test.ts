import { rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const CREATES = Array.from({ length: 6 }, (_, at) => `;${551_000 + at};n`);
const UPDATES = ["A1;1;x", "A2;2;y"];
const csv = (lines: readonly string[]): string => ["cle;num_commande;note", ...lines, ""].join("\n");
const FULL = ["--exports", "full", "--identify-by", "record"];
const PACE = ["--concurrency", "1", "--retries", "0", "--batch-size", "2"];

/** A run that was stopped by the service after its first create, of a file that is pushed every night. */
async function openStopped(
  lines: readonly string[] = [...CREATES, ...UPDATES],
  faults = ["status=401,skip=1"],
) {
  const world = await openWorld(faults);
  const file = await makeFile("orders.csv", csv(lines));
  const first = await world.push([file, ...PACE, ...FULL]);
  const [run] = await world.runs();
  world.sandbox.setFaults([]);
  return { ...world, file, first, run: run! };
}

describe("a run whose file was overwritten", () => {
  it("is taken over by a push that holds all that it had not sent", async () => {
    const { push, command, file, first, run, sandbox, numbers } = await openStopped();
    expect(first.code).toBe(5);
    // Other values of its updates overtake them.
    await writeFile(file, csv([";551099;new", ...CREATES, "A1;1;z", "A2;7;z"]));
    const next = await push([file, ...FULL, "--json"]);
    expect(next.code).toBe(0);
    expect(next.events().at(-1)).toMatchObject({ openRuns: [] });
    expect(next.stderr).toContain(`the run ${run} is taken over`);
    expect((await command(["runs", run])).stdout).toContain("taken over by ");
    expect((await command(["runs"])).stdout).not.toMatch(/ unfinished | unsettled /);
    const resumed = await command(["resume", run]);
    expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining("was taken over by the run") });
    expect(heldBy(sandbox)).toHaveLength(9);
    expect(new Set(numbers()).size).toBe(9);
  });

  it.each<[string, (lines: readonly string[]) => readonly string[]]>([
    ["lacks a create", (lines) => lines.filter((line) => !line.includes("551004"))],
    ["lacks an update", (lines) => lines.filter((line) => !line.startsWith("A2"))],
    ["gives less of an update", (lines) => lines.map((line) => line.replace("A2;2;y", "A2;2;"))],
    ["has another value of a create", (lines) => lines.map((line) => line.replace("551004;n", "551004;m"))],
  ])("stays open where the later file %s", async (_, change) => {
    const { push, command, file, run } = await openStopped();
    await writeFile(file, csv([";551099;new", ...change([...CREATES, ...UPDATES])]));
    expect((await push([file, ...FULL])).code).toBe(0);
    expect((await command(["runs", run])).stdout).toContain(`${run}  unfinished`);
  });

  it("stays open if a row is there less often than it was left", async () => {
    const { push, command, file, run } = await openStopped([...CREATES, ";551007;n", ";551007;n"]);
    await writeFile(file, csv([...CREATES, ";551007;n", ";551008;n"]));
    expect((await push([file, ...FULL])).code).toBe(0);
    expect((await command(["runs", run])).stdout).toContain(`${run}  unfinished`);
  });

  it("stays open where the only equal create of the later file may be the one that was sent", async () => {
    const { push, command, file, run } = await openStopped([";551007;n", ";551007;n", ...CREATES]);
    await writeFile(file, csv([";551007;n", ...CREATES, ";551008;n"]));
    expect((await push([file, ...FULL])).code).toBe(0);
    expect((await command(["runs", run])).stdout).toContain(`${run}  unfinished`);
  });

  it("stays open while the later push has not sent all, and is taken over once it has", async () => {
    const { push, command, file, run, sandbox } = await openStopped();
    await writeFile(file, csv([";551099;new", ...CREATES, ...UPDATES]));
    sandbox.setFaults(["status=401,skip=2"]);
    expect((await push([file, ...FULL, ...PACE])).code).toBe(5);
    expect((await command(["runs", run])).stdout).toContain(`${run}  unfinished`);
    sandbox.setFaults([]);
    expect((await push([file, ...FULL, ...PACE])).code).toBe(0);
    expect((await command(["runs", run])).stdout).toContain("taken over by ");
  });

  it("stays open while its file is still there", async () => {
    const { push, command, file, run } = await openStopped();
    const other = await makeFile("other.csv", csv([";551099;new", ...CREATES, ...UPDATES]));
    expect((await push([other, ...FULL])).code).toBe(0);
    expect((await command(["runs", run])).stdout).toContain(`${run}  unfinished`);
    // Once the file is gone, the next push takes the run over.
    await rm(file);
    await writeFile(other, csv([";551098;new", ...CREATES, ...UPDATES]));
    expect((await push([other, ...FULL])).code).toBe(0);
    expect((await command(["runs", run])).stdout).toContain("taken over by ");
  });

  it("keeps its doubt, which is settled by its name", async () => {
    const { push, command, file, run, first, sandbox } = await openStopped(
      [...CREATES, ...UPDATES],
      ["drop=before,kind=create,times=1", "status=401"],
    );
    expect(first.code).toBe(8);
    await writeFile(file, csv([";551099;new", ...CREATES, ...UPDATES]));
    const next = await push([file, ...FULL]);
    expect(next.code).toBe(8);
    expect(next.stdout + next.stderr).toMatch(
      new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=applied`),
    );
    const shown = (await command(["runs", run])).stdout;
    expect(shown).toContain("taken over by ");
    expect(shown).toMatch(new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=absent`));
    expect((await command(await decisionOn(command, "absent", run))).code).toBe(0);
    await writeFile(file, csv([";551098;new", ...CREATES, ...UPDATES]));
    expect((await push([file, ...FULL])).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(2 + 6 + 2);
  });

  it("stays open after a kill, because it could not note what it had left", async () => {
    const { sandbox, home, command, push, runs } = await openWorld(["hang,after-applying,kind=create"]);
    const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const file = await makeFile("orders.csv", csv(CREATES));
    const killed = startProcess([file, "-t", "commandes", ...PACE, ...FULL], env);
    while (heldBy(sandbox).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    const [run] = await runs();
    sandbox.setFaults([]);
    await writeFile(file, csv([";551099;new", ...CREATES]));
    expect((await push([file, ...FULL])).code).toBe(8);
    expect((await command(["runs", run!])).stdout).toContain(`${run!}  unfinished`);
  });
});

describe("a run whose database version the service refused", () => {
  const ROWS = csv(["A1;1;x", ";2;y"]);
  const openVersions = async () => {
    const sandbox = await openSandbox({ dbVersions: ["2"] });
    const env = {
      XDG_STATE_HOME: makeStateHome(),
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
    };
    const file = await makeFile("orders.csv", ROWS);
    const command = (argv: readonly string[]) => runMain(argv, { env, others: "nothing" });
    const push = (...more: readonly string[]) =>
      command([file, "-t", "commandes", "--type", "note=text", ...more]);
    return { sandbox, command, push, file };
  };

  it("is taken over by the push of its file with the right one, as its steps say", async () => {
    const { sandbox, command, push } = await openVersions();
    const none = await push();
    expect(none).toMatchObject({
      code: 6,
      stdout: expect.stringContaining("give the right database version"),
    });
    expect(none.stdout).not.toContain("continues where this one ended");
    expect((await push("--db-version", "1")).code).toBe(6);
    const right = await push("--db-version", "2");
    expect(right.code).toBe(0);
    expect(right.stdout).not.toContain("Still open");
    expect(right.stderr.match(/is taken over: the service refused it/g)).toHaveLength(2);
    expect((await command(["runs"])).stdout).not.toMatch(/ unfinished | unsettled /);
    expect(heldBy(sandbox)).toHaveLength(2);
  });

  it("stays open where the file with the right one lacks a row, or it was not refused", async () => {
    const { sandbox, command, push, file } = await openVersions();
    expect((await push()).code).toBe(6);
    sandbox.setFaults(["status=500"]);
    expect((await push("--db-version", "1", "--retries", "0")).code).toBe(8);
    sandbox.setFaults([]);
    await writeFile(file, csv(["A1;1;x"]));
    expect((await push("--db-version", "2")).code).toBe(0);
    expect((await command(["runs"])).stdout.match(/ unfinished | unsettled /g)).toHaveLength(2);
  });
});
