import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const UPDATES = "cle,num_commande\nA1,551035\nA2,551036\nA3,551037\n";
const CREATES = "num_commande\n551035\n551036\n551037\n";

describe("rec-push", () => {
  it("pushes an Excel export in French to the built-in sandbox with no other option", async () => {
    const { code, stdout, stderr } = await runMain([
      fixture("csv/orders-excel-fr.csv"),
      "--table",
      "commandes",
      "--sandbox",
    ]);
    expect(stderr).toContain("7 rows: 5 updates, 2 creates (rows without cle)");
    expect(stdout).toContain("7 rows read: 7 accepted");
    expect(stdout).toContain(
      '"num_commande":"551035","date_billed":"2016-07-05","actual_billable_amount":"1437.50"',
    );
    expect(code).toBe(0);
  });

  it("sends every value in the service's format", async () => {
    const sandbox = await openSandbox();
    const { code } = await pushTo(sandbox, [fixture("csv/orders-excel-fr.csv")]);
    expect(code).toBe(0);
    const held = heldBy(sandbox).map(({ cle, ...fields }) => [
      cle?.startsWith("F0001") ? cle : "new",
      fields,
    ]);
    expect(held).toEqual(
      expect.arrayContaining([
        [
          "F000121",
          {
            num_commande: "551035",
            date_billed: "2016-07-05",
            actual_billable_amount: "1437.50",
            num_invoice: "16000162",
            date_closed: "2016-09-05",
          },
        ],
        [
          "F000122",
          {
            num_commande: "551036",
            date_billed: "2016-07-06",
            actual_billable_amount: "595",
            num_invoice: "16000163",
          },
        ],
        [
          "new",
          {
            num_commande: "00552002",
            date_billed: "2016-08-01",
            actual_billable_amount: "-75.00",
            num_invoice: "16000168",
          },
        ],
      ]),
    );
    expect(held).toHaveLength(7);
  });

  it.each([
    ["a JSON array", '[{"cle":"A1","num_commande":12345678901234567890,"actual_billable_amount":0.10}]'],
    ["NDJSON", '{"cle":"A1","num_commande":12345678901234567890,"actual_billable_amount":0.10}\n'],
    [
      "an object that holds the records",
      '{"page":1,"orders":[{"cle":"A1","num_commande":12345678901234567890,"actual_billable_amount":0.10}]}',
    ],
    ["packed CSV", gzipSync("cle;num_commande;actual_billable_amount\nA1;12345678901234567890;0,10\n")],
  ])("reads %s from a file and keeps every digit", async (_, content) => {
    const sandbox = await openSandbox();
    const { code } = await pushTo(sandbox, [await makeFile("input", content)]);
    expect(code).toBe(0);
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", num_commande: "12345678901234567890", actual_billable_amount: "0.10" },
    ]);
  });

  it("reads standard input, and several files in the order given", async () => {
    const sandbox = await openSandbox();
    const first = await makeFile("first.csv", "cle,state\nA1,old\nA2,old\n");
    const { code, stdout } = await pushTo(sandbox, [first, "-"], { stdin: "cle;state\nA1;new\n" });
    expect(code).toBe(0);
    expect(stdout).toContain("3 rows read: 3 accepted");
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", state: "new" },
      { cle: "A2", state: "old" },
    ]);
  });

  it("sends nothing of any file when a later one is invalid", async () => {
    const sandbox = await openSandbox();
    const good = await makeFile("good.csv", UPDATES);
    const bad = await makeFile("bad.csv", "cle,date_billed\nA1,31/02/2016\n");
    const { code, stderr, stdout } = await pushTo(sandbox, [good, bad]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/bad\.csv:2: column 2 "date_billed" holds "31\/02\/2016":/);
    expect(stdout).toContain("4 rows read: 1 rejected, 3 not sent");
    expect(sandbox.requests().requests).toBe(0);
  });

  it("has nothing to do for a file with only a header", async () => {
    const sandbox = await openSandbox();
    const { code, stdout } = await pushTo(sandbox, [await makeFile("empty.csv", "cle,num_commande\n")]);
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing to do");
    expect(sandbox.requests().requests).toBe(0);
  });

  it("sends the valid rows and counts the others with --on-invalid skip", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,date_billed\nA1,05/13/2016\nA2,05/32/2016\nA3,05/14/2016\n");
    const { code, stdout, stderr } = await pushTo(sandbox, [file, "--on-invalid", "skip"]);
    expect(code).toBe(4);
    expect(stderr).toContain("a.csv:3:");
    expect(stdout).toContain("3 rows read: 2 accepted, 1 rejected");
    expect(heldBy(sandbox).map(({ cle }) => cle)).toEqual(["A1", "A3"]);
  });

  it("stops with exit 4 and names the rows when --on-invalid skip leaves none", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,date_billed\nA1,2016-02-30\nA2,soon\n");
    const { code, stderr } = await pushTo(sandbox, [file, "--on-invalid", "skip"]);
    expect(code).toBe(4);
    expect(stderr).toContain("a.csv:2:");
    expect(stderr).toContain("every row is invalid; nothing was sent");
  });

  it("stops with exit 3 when the order of day and month is open, and names both readings and the option", async () => {
    const sandbox = await openSandbox();
    const { code, stderr } = await pushTo(sandbox, [
      await makeFile("a.csv", "cle,date_billed\nA1,05/07/2016\n"),
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain("05/07/2016");
    expect(stderr).toMatch(/--date-format|--type/);
    expect(sandbox.requests().requests).toBe(0);
  });

  it("keeps the last of two rows with one key, at any concurrency", async () => {
    const sandbox = await openSandbox({ faults: ["latency=20,match=K3"] });
    const rows = Array.from({ length: 60 }, (_, index) => `K${index % 7},${index}`);
    const file = await makeFile("keys.csv", `cle,version\n${rows.join("\n")}\n`);
    const { code } = await pushTo(sandbox, [file, "--batch-size", "3", "--concurrency", "8"]);
    expect(code).toBe(0);
    expect(Object.fromEntries(heldBy(sandbox).map(({ cle, version }) => [cle, version]))).toEqual({
      K0: "56",
      K1: "57",
      K2: "58",
      K3: "59",
      K4: "53",
      K5: "54",
      K6: "55",
    });
  });

  it("sends one create alone before the others", async () => {
    const sandbox = await openSandbox();
    const { code, events } = await pushTo(sandbox, [
      await makeFile("c.csv", CREATES),
      "--batch-size",
      "2",
      "--json",
    ]);
    expect(code).toBe(0);
    const batches = events().filter(({ event }) => event === "batch");
    expect(batches[0]).toMatchObject({ kind: "create", rows: 1, status: 200, outcome: "accepted" });
    expect(batches.reduce((sum, { rows }) => sum + Number(rows), 0)).toBe(3);
  });
});

describe("exit codes", () => {
  it.each<[string, string, readonly string[], readonly string[], number, RegExp]>([
    ["a wrong token", UPDATES, [], ["status=401,msg=Invalid API key."], 5, /Invalid API key/],
    ["an unknown table", UPDATES, [], ["status=404"], 6, /404/],
    ["a redirect", CREATES, [], ["status=302"], 6, /points elsewhere \(302\)/],
    ["a failing service and updates", UPDATES, ["--retries", "0"], ["status=500"], 7, /failed/],
    ["a failing service and creates", CREATES, ["--retries", "0"], ["status=500"], 8, /in doubt/],
    ["a lost answer to a create", CREATES, [], ["drop=after"], 8, /in doubt/],
    ["a refused update", UPDATES, [], ["refuse=num_commande:551036"], 4, /refused/],
    ["creates refused as such", CREATES, ["--batch-size", "2"], ["refuse=num_commande:551035"], 4, /refused/],
  ])("%s", async (_, content, argv, faults, expected, told) => {
    const sandbox = await openSandbox({ faults: [...faults] });
    const { code, stdout, stderr } = await pushTo(sandbox, [await makeFile("rows.csv", content), ...argv]);
    expect(stdout + stderr).toMatch(told);
    expect(code).toBe(expected);
  });

  it("2: names what is missing", async () => {
    const file = await makeFile("rows.csv", UPDATES);
    const run = async (argv: string[], env = {}): Promise<[number, string]> => {
      const { code, stderr } = await runMain(argv, { env });
      return [code, stderr];
    };
    expect(await run([file])).toEqual([2, expect.stringContaining("--table")]);
    expect(await run([file, "--table", "t"])).toEqual([2, expect.stringContaining("--url")]);
    expect(await run([file, "-t", "t", "-u", "https://x.example"])).toEqual([
      2,
      expect.stringContaining("REC_PUSH_TOKEN"),
    ]);
    expect(await run([file, "-t", "t", "-u", "nonsense"], { REC_PUSH_TOKEN: "x" })).toEqual([
      2,
      expect.stringContaining("--url https://host.example"),
    ]);
    expect(await run([file, "-t", "t", "-u", "http://x.example"], { REC_PUSH_TOKEN: "x" })).toEqual([
      2,
      expect.stringContaining("--allow-http"),
    ]);
    expect(await run([file, "--nonsense"])).toEqual([2, expect.stringContaining("--nonsense")]);
    expect(
      await run([file, "-t", "t", "-u", "https://x.example", "--batch-size", "many"], {
        REC_PUSH_TOKEN: "x",
      }),
    ).toEqual([2, expect.stringContaining("--batch-size")]);
    expect(await run([])).toEqual([0, ""]);
  });

  it("7: a service that is not there", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("rows.csv", CREATES);
    await sandbox.close();
    const { code, stdout } = await pushTo(sandbox, [file, "--retries", "0"]);
    expect(code).toBe(7);
    expect(stdout).toContain("3 rows read: 3 failed");
    expect(stdout).toContain("Next: run the same command again");
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "%s ends in order: what is in flight is counted, the rest is not sent",
    async (signal, expected) => {
      const sandbox = await openSandbox({ faults: ["latency=30"] });
      const rows = Array.from({ length: 40 }, (_, index) => `A${index}`);
      const file = await makeFile("rows.csv", `cle,state\n${rows.map((key) => `${key},x`).join("\n")}\n`);
      const argv = [file, "--batch-size", "1", "--concurrency", "1", "--verbose"];
      const { code, stdout } = await pushTo(sandbox, argv, { signalAt: { signal, stdout: /update/ } });
      expect(code).toBe(expected);
      const [, accepted, notSent] = /40 rows read: (\d+) accepted, (\d+) not sent/.exec(stdout) ?? [];
      expect(Number(accepted)).toBe(heldBy(sandbox).length);
      expect(Number(accepted) + Number(notSent)).toBe(40);
    },
  );
});

describe("--json", () => {
  it("tells every step as one object a line, and a summary that adds up", async () => {
    const sandbox = await openSandbox();
    const { code, events } = await pushTo(sandbox, [fixture("csv/orders-excel-fr.csv"), "--json"]);
    expect(code).toBe(0);
    const all = events();
    const steps = ["run", "survey", "notice", "batch", "batch", "summary"];
    expect(all.map(({ event }) => event)).toEqual(steps);
    expect(all[1]).toMatchObject({
      format: "csv",
      encoding: "windows-1252",
      rows: 7,
      updates: 5,
      creates: 2,
    });
    expect(all[1]?.["unpinned"]).toEqual(expect.arrayContaining(["--encoding windows-1252"]));
    expect(all.at(-1)).toMatchObject({
      read: 7,
      accepted: 7,
      refused: 0,
      failed: 0,
      inDoubt: 0,
      rejected: 0,
      notSent: 0,
      skipped: 0,
      batches: 2,
      exitCode: 0,
      safeToRerun: true,
    });
  });

  it("reports each refused record with its line", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:551036"] });
    const { events } = await pushTo(sandbox, [await makeFile("rows.csv", UPDATES), "--json"]);
    expect(events().filter(({ event }) => event === "reject")).toEqual([
      expect.objectContaining({ line: 3, reason: expect.stringContaining("551036") }),
    ]);
    expect(events().at(-1)).toMatchObject({ accepted: 2, refused: 1, exitCode: 4 });
  });
});

describe("--quiet", () => {
  it("says nothing on success but what is not pinned", async () => {
    const sandbox = await openSandbox();
    const pinned = await pushTo(sandbox, [await makeFile("rows.csv", UPDATES), "--quiet"]);
    expect([pinned.stdout, pinned.stderr, pinned.code]).toEqual(["", "", 0]);
    const inferred = await pushTo(sandbox, [fixture("csv/orders-excel-fr.csv"), "--quiet"]);
    expect([inferred.stdout, inferred.code]).toEqual(["", 0]);
    expect(inferred.stderr).toMatch(/^.*--encoding windows-1252.*\n$/);
    expect(inferred.stderr).not.toContain("--delimiter");
  });

  it("reports a failure nevertheless", async () => {
    const sandbox = await openSandbox({ faults: ["status=401"] });
    const { code, stdout, stderr } = await pushTo(sandbox, [await makeFile("rows.csv", UPDATES), "--quiet"]);
    expect(code).toBe(5);
    expect(stderr).toContain("error:");
    expect(stdout).toContain("3 not sent");
  });
});

describe("secrets", () => {
  it("never shows the token, not even when the service sends it back", async () => {
    const token = "canary-7f3a9b/x+y=z";
    const sandbox = await openSandbox({ token, faults: [`status=404,msg="no such key ${token}"`] });
    for (const output of [[], ["--json"], ["--verbose"]]) {
      const { stdout, stderr } = await pushTo(sandbox, [await makeFile("rows.csv", UPDATES), ...output]);
      expect(stdout + stderr).toContain("(hidden: it repeats a secret)");
      expect(stdout + stderr).not.toContain("canary");
    }
  });
});
