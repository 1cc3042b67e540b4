import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { stepLines } from "../support/steps.ts";
import { ageClosed, allRunsIn, runsIn, unclose } from "../support/table-parts.ts";
import { makeFile } from "../support/temp-files.ts";

const CREATES = ["num_commande", ...Array.from({ length: 6 }, (_, at) => 1000 + at), ""].join("\n");

/** A file of six creates; the first push sends as many as the faults allow. */
async function openWorld(faults: readonly string[]) {
  const sandbox = await openSandbox({ faults });
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", CREATES);
  const push = (...more: readonly string[]) =>
    pushTo(sandbox, [file, "--batch-size", "2", "--concurrency", "1", ...more], { env });
  const first = await push();
  sandbox.setFaults([]);
  const state = join(home, "rec-push");
  const runs = () => allRunsIn(state);
  const [run = ""] = await runs();
  const command = (...argv: readonly string[]) => runMain(argv, { env });
  return { sandbox, state, first, push, command, runs, run, directory: join(runsIn(state), run) };
}

describe("rec-push runs --json", () => {
  it("gives a run as one object, with what is in doubt and what to do", async () => {
    const { command, run, first } = await openWorld(["drop=after,kind=create,skip=1,times=1"]);
    expect(first.code).toBe(8);
    const [event, ...others] = (await command("runs", "--json")).events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      event: "run",
      run,
      state: "unsettled",
      table: "commandes",
      read: 6,
      accepted: 5,
      inDoubt: 1,
      exitCode: 8,
      inDoubtAt: [{ kind: "create", rows: 1, first: 3, last: 3 }],
    });
    expect(String(stepLines(event?.["next"]))).toMatch(
      new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=applied`),
    );
  });
});

describe("rec-push runs", () => {
  it("is a table of what is left to do, of all runs if asked, or of those of a table", async () => {
    const { command, push, run, sandbox } = await openWorld(["status=401,skip=1"]);
    for (let at = 0; at < 3; at++) await push("--table", "others", "--run-key", String(at));
    const lines = async (...argv: readonly string[]) =>
      (await command("runs", ...argv)).stdout.split("\n").filter((line) => /^\d{8}-\d{6}-/.test(line));
    const open = new RegExp(
      `^${run}  unfinished  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  \\S+orders.csv -> commandes$`,
    );
    expect(await lines()).toEqual([expect.stringMatching(open)]);
    expect((await command("runs")).stdout).toMatch(/^run +state +when +file\n/);
    expect((await command("runs")).stdout).toContain("3 runs with nothing left to do: rec-push runs --all\n");
    // The open ones first, although the others are later.
    expect((await lines("--all")).map((line) => line.slice(24, 34))).toEqual([
      "unfinished",
      ...Array.from({ length: 3 }, () => "finished  "),
    ]);
    expect(await lines("--all", "--table", "others")).toHaveLength(3);
    expect(await lines("--table", "others")).toEqual([]);
    expect(heldBy(sandbox)).toHaveLength(1);
  });
});

describe("rec-push runs abandon", () => {
  it.each([
    [["abandon"], "runs abandon needs the name of a run"],
    [["forget"], "runs forget needs the name of a run"],
    [["prune", "x"], "too many words: prune x"],
    [["x", "y"], "too many words: x y"],
    [["forget", "--plan", "x"], "too many words: forget"],
  ])("and the other words are wrong usage where they make no sense: %j", async (argv, said) => {
    const { code, stderr } = await runMain(["runs", ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it("gives a run up, of whose file a later push creates only what was not created", async () => {
    const { sandbox, command, push, run } = await openWorld(["status=401,skip=1"]);
    expect((await command("runs", "abandon", run)).stdout).toContain("a later push leaves those out");
    expect((await command("resume")).stderr).toContain("no run is open");
    expect((await command("resume", run)).code).toBe(2);
    expect((await command("runs", "abandon", run)).code).toBe(2);
    const second = await push();
    expect(second.stderr).toContain("1 of 6 creates was created before");
    expect(heldBy(sandbox)).toHaveLength(6);
    await command("runs", "prune");
    expect((await push()).stderr).toContain("6 of 6 creates were created before");
    await push("--again");
    expect(heldBy(sandbox)).toHaveLength(12);
  });

  it("frees the file of a run that created nothing", async () => {
    const { command, push, run } = await openWorld(["status=401"]);
    expect((await command("runs", "abandon", run)).stdout).toContain("can be pushed again");
    expect((await push()).stdout).toContain("6 accepted");
  });

  it("does not free the table of a damaged journal, which is moved aside once it is said what it created", async () => {
    const { sandbox, command, push, run, directory } = await openWorld(["status=401,skip=1"]);
    const journal = join(directory, "journal");
    await writeFile(journal, (await readFile(journal, "utf8")).replace('"accepted"', '"acceptee"'));
    const damaged = await push();
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toMatch(
      /journal:\d+: this line of the journal does not match its checksum\. .*without key .* twice/,
    );
    expect((await command("runs")).stdout).toContain("damaged");
    expect((await command("runs", "abandon", run)).code).toBe(1);
    expect(await push()).toMatchObject({ code: 1 });
    const [fiche] = heldBy(sandbox);
    const there = await makeFile("there.csv", `num_commande\n${fiche!["num_commande"]}\n`);
    expect((await command("ledger", "add", there, "--table", "commandes")).stderr).toContain(
      `the run ${run} created, whose journal is lost or damaged`,
    );
    expect(await readdir(directory)).toEqual(["journal-damaged"]);
    expect(await push("--exports", "full", "--identify-by", "record")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("5 accepted, 1 skipped"),
    });
    expect(heldBy(sandbox)).toHaveLength(6);
  });
});

describe("rec-push runs prune", () => {
  it("removes what is finished; that its file was pushed stays known", async () => {
    const { sandbox, command, push, runs, run } = await openWorld([]);
    expect(await runs()).toEqual([run]);
    expect((await command("runs", "prune")).stdout).toContain("1 finished run removed");
    expect(await runs()).toEqual([]);
    expect((await command("runs")).stdout).not.toContain(run);
    expect((await push()).stdout).toContain("6 skipped");
    expect(heldBy(sandbox)).toHaveLength(6);
  });

  it("removes a run that a crash left unclosed after its last entry, once the next push has closed it", async () => {
    const { command, push, runs, run, directory, state } = await openWorld([]);
    await unclose(state);
    await writeFile(join(directory, "input"), CREATES);
    await command("runs", "prune");
    expect(await runs()).toEqual([run]);
    expect(await readdir(directory)).toEqual(expect.arrayContaining(["input", "journal"]));
    expect((await push()).stdout).toContain("6 skipped");
    expect(existsSync(directory)).toBe(false);
    expect(await runs()).toEqual([run]);
    await command("runs", "prune");
    expect(await runs()).toEqual([]);
  });

  it("is not needed for what a kill left of a journal behind the book's last word: the next push removes it", async () => {
    const { command, push, directory, run } = await openWorld([]);
    await mkdir(directory);
    for (const name of ["journal", "journal-reserve", "input"]) await writeFile(join(directory, name), "x");
    expect((await command("runs", run)).stdout).toContain("6 accepted");
    expect((await push()).code).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });

  it("waits for nobody: a table that is pushed to is named", async () => {
    const { command, push, runs, run, sandbox } = await openWorld([]);
    sandbox.setFaults(["latency=1500"]);
    const pushing = push("--again");
    while ((await runs()).length === 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await command("runs", "prune")).toMatchObject({
      code: 9,
      stderr: expect.stringContaining("commandes"),
    });
    await pushing;
    expect(await runs()).toContain(run);
  });

  it("leaves open runs alone, however old they are", async () => {
    const { command, runs, run, directory } = await openWorld(["status=401,skip=1"]);
    const longAgo = new Date(Date.now() - 400 * 86_400_000);
    for (const name of ["", "journal"]) await utimes(join(directory, name), longAgo, longAgo);
    await command("runs", "prune");
    expect(await runs()).toEqual([run]);
  });

  it("happens by itself to runs that were finished 30 days ago", async () => {
    const { push, runs, run, state } = await openWorld([]);
    await ageClosed(state, 29);
    await push();
    expect(await runs()).toEqual([run]);
    await ageClosed(state, 31);
    expect((await push()).stdout).toContain("6 skipped");
    expect(await runs()).toEqual([]);
  });
});

it("a run whose last create was announced but not sent continues with it", async () => {
  const { sandbox, first, push, command } = await openWorld(["status=401,skip=1"]);
  expect(first.code).toBe(5);
  expect((await command("runs", "--json")).events()[0]).toMatchObject({ state: "unfinished", inDoubt: 0 });
  expect((await push()).code).toBe(0);
  expect(heldBy(sandbox)).toHaveLength(6);
});

it("a run of which the database version was refused is told to be pushed with another", async () => {
  const { first, command } = await openWorld(["status=400,msg=Invalid database version."]);
  expect(first.code).toBe(6);
  const { stdout } = await command("runs");
  expect(stdout).toMatch(/Next: give the right database version, and push \S+ again, which closes this run/);
  expect(stdout).not.toContain("sends the rest");
});
