import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn } from "../support/table-parts.ts";

const creates = (count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => 551_000 + at)].join("\n") + "\n";
const CREATES = creates(6);
const UPDATES = "cle,num_commande\nA1,551035\nA2,551036\n";

const IN_DOUBT = ["drop=after,kind=create,skip=1,times=1"];
const TWO_BATCHES = ["--batch-size", "3", "--concurrency", "1"];

describe("the same command", () => {
  it("leaves a file out that was pushed before, with a notice and exit 0", async () => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", CREATES);
    expect((await push([file])).code).toBe(0);
    const second = await push([file]);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("6 rows read: 6 skipped") });
    expect(second.stderr).toContain("was already pushed on ");
    expect(numbers()).toHaveLength(6);
  });

  it.each<[string, readonly string[]]>([
    ["other options", ["--set", "etat=nouveau"]],
    ["pins", ["--delimiter", ","]],
    ["a smaller batch", ["--batch-size", "2"]],
  ])("leaves it out also with %s", async (_, options) => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", CREATES);
    await push([file]);
    expect((await push([file, ...options])).code).toBe(0);
    expect(numbers()).toHaveLength(6);
  });

  it("leaves it out under another name, beside another file, and from standard input", async () => {
    const { push, numbers } = await openWorld();
    await push([await makeFile("orders.csv", CREATES)]);
    await push([await makeFile("other.csv", UPDATES), await makeFile("copy.csv", CREATES)]);
    await push(["-"], { stdin: CREATES });
    expect(numbers()).toHaveLength(8);
  });

  it("creates each record once where one command names the same content twice", async () => {
    const { push, numbers } = await openWorld();
    await push([await makeFile("a.csv", CREATES), await makeFile("b.csv", CREATES)]);
    expect(numbers()).toHaveLength(6);
  });

  it.each<[string, readonly string[]]>([
    ["--again", ["--again"]],
    ["another --run-key", ["--run-key", "2026-12"]],
    ["another table", ["--table", "factures"]],
  ])("pushes it again with %s", async (_, options) => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", CREATES);
    await push([file]);
    expect((await push([file, ...options])).stdout).toContain("6 accepted");
  });

  it("pushes a file again that holds updates only", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", UPDATES);
    await push([file]);
    expect((await push([file])).stdout).toContain("2 accepted");
  });

  it("goes on with an open run, and its summary counts the whole run", async () => {
    const { push, numbers, sandbox, runs } = await openWorld(["status=401,skip=2"]);
    const file = await makeFile("orders.csv", creates(9));
    const first = await push([file, ...TWO_BATCHES]);
    expect(first).toMatchObject({ code: 5, stdout: expect.stringContaining("3 accepted, 6 not sent") });
    sandbox.setFaults([]);
    const second = await push([file, ...TWO_BATCHES]);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("9 rows read: 9 accepted") });
    expect(new Set(numbers()).size).toBe(9);
    expect(numbers()).toHaveLength(9);
    expect(await runs()).toHaveLength(1);
  });

  it("that would make other records than its open run is refused, naming the difference", async () => {
    const { push, sandbox } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", CREATES);
    await push([file]);
    sandbox.setFaults([]);
    const { code, stderr } = await push([file, "--set", "etat=nouveau"]);
    expect(code).toBe(2);
    expect(stderr).toContain('--set and default: nothing then, etat="nouveau" now');
    expect((await push([file, "--again"])).code).toBe(2);
    expect((await push([file, "--delimiter", ";", "--batch-size", "2"])).code).toBe(0);
  });

  it("repeats the exit code of a run that refused rows", async () => {
    const { push } = await openWorld(["refuse=num_commande:551003"]);
    const file = await makeFile("orders.csv", CREATES);
    expect((await push([file, "--atomic-batches"])).code).toBe(4);
    const second = await push([file]);
    expect(second.code).toBe(4);
    expect(second.stderr).toContain("was already pushed on ");
  });
});

describe("rec-push resume", () => {
  it("never sends what is in doubt, and exits 8 while doubt remains", async () => {
    const { push, command, numbers } = await openWorld(IN_DOUBT);
    const file = await makeFile("orders.csv", CREATES);
    const { code, stdout } = await push([file, ...TWO_BATCHES]);
    expect(code).toBe(8);
    expect(stdout).toMatch(/in doubt: 2 creates in .*orders.csv, lines 3-4/);
    const held = numbers().length;
    expect((await command(["resume"])).code).toBe(8);
    expect((await push([file])).code).toBe(8);
    expect(numbers()).toHaveLength(held);
  });

  it("counts as accepted, and marks, what the user says was applied", async () => {
    const { push, command, numbers } = await openWorld(IN_DOUBT);
    const file = await makeFile("orders.csv", CREATES);
    await push([file, ...TWO_BATCHES]);
    const { code, stdout } = await command(await decisionOn(command, "applied"), { REC_PUSH_TOKEN: "" });
    expect(stdout).toContain("6 rows read: 6 accepted");
    expect(code).toBe(0);
    expect((await command(["runs", "--all"])).stdout).toContain("6 accepted (2 of them on your word)");
    expect(numbers()).toHaveLength(6);
  });

  it("sends again what the user says was not applied", async () => {
    const { push, command, numbers } = await openWorld(["drop=before,kind=create,skip=1,times=1"]);
    await push([await makeFile("orders.csv", CREATES), ...TWO_BATCHES]);
    expect(numbers()).toHaveLength(4);
    const { code, stdout } = await command(await decisionOn(command, "resend"));
    expect(stdout).toContain("6 rows read: 6 accepted");
    expect(code).toBe(0);
    expect(new Set(numbers()).size).toBe(6);
    expect(numbers()).toHaveLength(6);
  });

  it("needs the file as it was", async () => {
    const { push, command } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", CREATES);
    await push([file]);
    await writeFile(file, creates(7));
    expect(await command(["resume"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("has changed since"),
    });
    await rm(file);
    expect((await command(["resume"])).code).toBe(3);
  });

  it("takes standard input from its copy, which is removed with the run", async () => {
    const { push, command, sandbox, home, runs } = await openWorld(["status=401"]);
    await push(["-"], { stdin: CREATES });
    const [run = ""] = await runs();
    const copy = join(runsIn(join(home, "rec-push")), run, "input");
    expect(await readFile(copy, "utf8")).toBe(CREATES);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    sandbox.setFaults([]);
    expect(await command(["resume"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("6 rows read: 6 accepted"),
    });
    expect(existsSync(copy)).toBe(false);
    expect(await readdir(join(home, "rec-push", "incoming"))).toEqual([]);
  });

  it("asks again for headers and query parameters, whose values are not kept", async () => {
    const { push, command, sandbox, runs, home } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", CREATES);
    await push([file, "-H", "X-Api-Key: canary-header", "--query", "key=canary-query"]);
    sandbox.setFaults([]);
    const { code, stderr } = await command(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toContain('-H "X-Api-Key: ..." and --query key=...');
    const [run = ""] = await runs();
    expect(await readFile(join(runsIn(join(home, "rec-push")), run, "journal"), "utf8")).not.toContain(
      "canary",
    );
    expect((await command(["resume", "-H", "X-Api-Key: a", "--query", "key=canary-query"])).code).toBe(0);
  });

  it("accepts the run's name, or part of it", async () => {
    const { push, command, sandbox, runs } = await openWorld(["status=401"]);
    await push([await makeFile("a.csv", CREATES)]);
    sandbox.setFaults([]);
    const [run = ""] = await runs();
    expect((await command(["resume", "nothing"])).code).toBe(2);
    expect((await command(["resume", run.slice(-6)])).code).toBe(0);
    expect((await command(["resume"])).stderr).toContain("no run is open");
  });
});

describe("a resume that is refused", () => {
  it("counts the whole run, and keeps its exit code", async () => {
    const { push, command, runs, numbers } = await openWorld(IN_DOUBT);
    const file = await makeFile("orders.csv", CREATES);
    expect((await push([file, ...TWO_BATCHES])).code).toBe(8);
    const [run = ""] = await runs();
    const settled = numbers().length;
    const doubt = file.replace(".csv", ".in-doubt.csv");
    const [head, ...rows] = (await readFile(doubt, "utf8")).split("\n");
    // The file holds a row that was never in doubt.
    await writeFile(doubt, [head, ...rows.slice(1)].join("\n").replace(/line \d+ of/, "line 7000 of"));
    const options = ["--in-doubt", doubt];
    const { code, stdout, stderr } = await command(["resume", run, ...options]);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^6 rows read: \d accepted, \d+ in doubt/m),
    });
    const events = (await command(["resume", run, ...options, "--json"])).events();
    expect(events.at(-1)).toMatchObject({ event: "summary", read: 6, notSent: 0, exitCode: 2 });
    expect(numbers()).toHaveLength(settled);
  });
});
