import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const TEXT = "cle,libelle\nA1,one\nA2,two\n,new\nA1,three\nA2,four\nA1,five\n,new\n";

describe("--on-repeat", () => {
  it("stop names the first repeated key with its lines, and sends nothing", async () => {
    const sandbox = await openSandbox();
    const { code, stderr } = await pushTo(sandbox, [await makeFile("a.csv", TEXT), "--on-repeat", "stop"]);
    expect(code).toBe(3);
    expect(stderr).toContain('a.csv:5: the key "A1" is already in line 2; nothing was sent');
    expect(sandbox.requests().requests).toBe(0);
  });

  it("stop lets a file without repeats pass, rows without key among it", async () => {
    const file = await makeFile("a.csv", "cle,libelle\nA1,one\nA2,one\n,new\n,new\n");
    expect((await runMain(["check", file, "--on-repeat", "stop"])).code).toBe(0);
  });

  it("last sends only the last row of a key and counts the others as skipped", async () => {
    const sandbox = await openSandbox();
    const run = await pushTo(sandbox, [await makeFile("a.csv", TEXT), "--on-repeat", "last", "--json"]);
    expect(run.code).toBe(0);
    expect(run.events().at(-1)).toMatchObject({ read: 7, accepted: 4, skipped: 3, notSent: 0 });
    const labels = heldBy(sandbox).map(({ libelle }) => libelle);
    expect(new Set(labels)).toEqual(new Set(["five", "four", "new"]));
    expect(run.events().find(({ event }) => event === "survey")).toMatchObject({ updates: 2, superseded: 3 });
  });

  it("last keeps the last valid row of a key where invalid rows are left out", async () => {
    const path = await makeFile("a.csv", "cle,date_billed\nA1,2016-07-05\nA1,2016-07-06\nA1,2016-02-31\n");
    const run = await runMain([
      "check",
      path,
      "--on-repeat",
      "last",
      "--on-invalid",
      "skip",
      "--records",
      "-",
    ]);
    expect(run.stdout).toBe('{"cle":"A1","date_billed":"2016-07-06"}\n');
    expect(run.stderr).toContain("1 row is left out: a later row has the same key (--on-repeat last)");
  });

  it("last does not count a row of totals as a repeated key", async () => {
    const path = await makeFile("a.csv", "cle,libelle,n\nA1,x,1\nA2,y,2\nTotal,,3\nTotal,,3\n");
    const argv = ["check", path, "--on-repeat", "last", "--on-invalid", "skip", "--json"];
    const events = (await runMain(argv)).events();
    expect(events.at(-1)).toMatchObject({ read: 4, rejected: 2, skipped: 0, notSent: 2 });
  });

  it("all sends every row, and is the default", async () => {
    const sandbox = await openSandbox();
    const run = await pushTo(sandbox, [await makeFile("a.csv", TEXT), "--json", "--on-repeat", "all"]);
    expect(run.events().at(-1)).toMatchObject({ read: 7, accepted: 7, skipped: 0 });
  });

  it("distinguishes rows that are on one line of JSON", async () => {
    const file = await makeFile("a.json", '[{"cle":"A","n":"1"},{"cle":"A","n":"2"},{"cle":"B","n":"3"}]');
    const { stdout } = await runMain(["check", file, "--on-repeat", "last", "--records", "-"]);
    expect(stdout).toBe('{"cle":"A","n":"2"}\n{"cle":"B","n":"3"}\n');
  });
});
