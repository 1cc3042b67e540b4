import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { heldBy } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const DAY = new Date(2026, 10, 21);
const BIRTHS = "cle;date_birth;etat\nA1;14/03/45;ouvert\nA2;26/07/12;clos\n";
const KEYS = "cle;pays;num_commande\nNA;Namibie;551001\n-;personne;551002\nFR;France;551003\n";

/** The records that `check` makes of a file on a given day. */
async function check(content: string, options: readonly string[], more: { now?: Date; cwd?: string } = {}) {
  const file = await makeFile("orders.csv", content);
  return runMain(["check", file, "--table", "commandes", "--records", "-", ...options], {
    now: DAY,
    ...more,
  });
}

/** Runs an action as if on that day. */
async function onDay<T>(act: () => Promise<T>): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: DAY });
  await act();
  vi.useRealTimers();
}

afterEach(() => {
  vi.useRealTimers();
});

describe("--key-literal", () => {
  it("is named if a key does not look like one, and accepts it as one", async () => {
    const { code, stderr } = await check(KEYS, []);
    expect(code).toBe(3);
    expect(stderr).toContain(
      'column 1 "cle" holds "NA": it means no value, and it is not certain whether the row is a create (--null NA reads it as a blank cell, --key-literal NA as a key)',
    );
    const { code: settled, stdout } = await check(KEYS, ["--key-literal", "NA", "--key-literal", "-"]);
    expect(settled).toBe(0);
    expect(stdout.split("\n").map((line) => line.slice(0, 13))).toContain('{"cle":"NA","');
    expect((await check(KEYS, ["--key-literal", "NA,-"])).stdout).toBe(stdout);
    expect((await check(KEYS, ["--key-literal", "NA,-", "--null", "NA"])).stdout).toBe(stdout);
  });

  it("counts in a config too, and adds up with the command line", async () => {
    const cwd = await makeDirectory();
    const tables = { commandes: { keyLiteral: ["NA", "a,b"] } };
    await writeFile(join(cwd, "rec-push.config.json"), JSON.stringify({ tables }));
    expect((await check(KEYS, [], { cwd })).code).toBe(3);
    expect((await check(KEYS, ["--key-literal", "-"], { cwd })).code).toBe(0);
  });
});

describe("--pivot-year", () => {
  it("is named where a year of two digits lies far ahead, and each answer is what it says", async () => {
    const { code, stderr } = await check(BIRTHS, []);
    expect(code).toBe(3);
    expect(stderr).toContain('column "date_birth": line 2 "14/03/45" is 14 March 1945 or 14 March 2045');
    expect(stderr).toContain("--type date_birth=date:45 or --type date_birth=date:70");
    for (const answer of ["--pivot-year=45", "--type=date_birth=date:45"])
      expect((await check(BIRTHS, [answer])).stdout).toContain('"date_birth":"1945-03-14"');
    expect((await check(BIRTHS, ["--pivot-year", "70"])).stdout).toContain('"date_birth":"2045-03-14"');
  });

  it("stops under --on-invalid skip too: it is a question about the file", async () => {
    expect((await check(BIRTHS, ["--on-invalid", "skip"])).code).toBe(3);
  });

  it("is judged on the day of the command", async () => {
    expect((await check(BIRTHS, [], { now: new Date(2044, 2, 13) })).code).toBe(3);
    expect((await check(BIRTHS, [], { now: new Date(2044, 2, 14) })).code).toBe(0);
  });

  it.each([
    { pivotYear: 45 },
    { pivotYear: "1945" },
    { fields: { date_birth: { type: "date:45" } } },
    { pivotYear: 70, fields: { date_birth: { type: "date:DD/MM/YYYY:45" } } },
  ])("counts in a config too: %j", async (commandes) => {
    const cwd = await makeDirectory();
    await writeFile(join(cwd, "rec-push.config.json"), JSON.stringify({ tables: { commandes } }));
    expect((await check(BIRTHS, [], { cwd })).stdout).toContain('"date_birth":"1945-03-14"');
  });

  it.each(["2001", "1899", "-1", "x", "145"])("is refused where it is no such year: %s", async (year) => {
    const { code, stderr } = await check(BIRTHS, [`--pivot-year=${year}`]);
    expect(code).toBe(2);
    expect(stderr).toContain("--pivot-year");
  });

  it("is written by init where it was given, and then nothing is asked", async () => {
    const cwd = await makeDirectory();
    const file = await makeFile("orders.csv", BIRTHS);
    const literal = ["--key-literal", "NA", "--pivot-year", "45"];
    expect((await runMain(["init", file, "--table", "commandes", ...literal], { cwd, now: DAY })).code).toBe(
      0,
    );
    const later = `${BIRTHS}NA;01/01/50;ouvert\n`;
    expect((await check(later, ["--pinned"], { cwd })).stdout).toContain(
      '{"cle":"NA","date_birth":"1950-01-01","etat":"ouvert"}',
    );
  });
});

describe("a run that is taken up", () => {
  /**
   * Dates whose year must be last on the day of the run, because years in front would be in the future; two years later both
   * are possible.
   */
  const DATES = "cle;date_x\nA1;27/11/10\nA2;28/11/99\n";
  const later = new Date(2029, 0, 1);

  it("keeps its pivot year and its literals, whoever types the command", async () => {
    const { push, command, sandbox } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", `${BIRTHS}NA;13/01/50;ouvert\n`);
    const options = ["--pivot-year", "45", "--key-literal", "NA"];
    expect((await push([file, ...options])).code).toBe(5);
    sandbox.setFaults([]);
    const { code, stderr } = await push([file, "--key-literal", "NA", "--pivot-year", "70"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--pivot-year: 1945 then, nothing now");
    const others = await push([file, "--pivot-year", "45", "--key-literal", "NA,-"]);
    expect(others.stderr).toContain('--key-literal: "NA" then, "-", "NA" now');
    expect((await command(["resume"])).code).toBe(0);
    expect(heldBy(sandbox).map((fiche) => [fiche["cle"], fiche["date_birth"]])).toEqual([
      ["A1", "1945-03-14"],
      ["A2", "2012-07-26"],
      ["NA", "1950-01-13"],
    ]);
  });

  it("is the same run where only the usual pivot year is added", async () => {
    const { push, sandbox } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", "cle;date_x\nA1;26/07/99\n");
    await push([file]);
    sandbox.setFaults([]);
    expect((await push([file, "--pivot-year", "70"])).code).toBe(0);
  });

  it("goes on with the same command of a later day once the order is pinned", async () => {
    const { push, sandbox, home } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", DATES);
    await onDay(async () => expect((await push([file])).code).toBe(5));
    sandbox.setFaults([]);
    const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const pinned = await runMain([file, "--table", "commandes", "--type", "date_x=date:DD/MM/YYYY"], {
      env,
      now: later,
    });
    expect(pinned).toMatchObject({ code: 0, stdout: expect.stringContaining("2 accepted") });
  });
});
