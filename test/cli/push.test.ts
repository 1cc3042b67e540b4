import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { expectEnd, faults, nothingSent, scenario } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const UPDATES = "cle,num_commande\nA1,551035\nA2,551036\nA3,551037\n";
const CREATES = "num_commande\n551035\n551036\n551037\n";
const FRENCH = fixture("csv/orders-excel-fr.csv");

describe("rec-push", () => {
  scenario(
    "of several batches of creates sends a single one first, until the table is known to accept creates",
    {
      "a.csv": "num_commande\n101\n102\n103\n104\n105\n",
      "b.csv": "num_commande\n201\n202\n203\n204\n205\n",
      "there.csv": "num_commande\n301\n",
    },
    [
      // What a person says to be there, no service has accepted.
      ["ledger add there.csv", 0],
      ["push a.csv --batch-size 3", 0, / 1 +create +1 row /],
      ["push b.csv --batch-size 3", 0, / 1 +create +3 rows/],
    ],
  );

  scenario("pushes an Excel export in French to the built-in sandbox with no other option", {}, [
    [
      `push ${FRENCH} --sandbox`,
      0,
      "7 rows: 5 updates, 2 creates (rows without cle)",
      "7 rows read: 7 accepted",
      '"num_commande":"551035","date_billed":"2016-07-05","actual_billable_amount":"1437.50"',
    ],
  ]);
  scenario("sends every value in the service's format", {}, [
    [`push ${FRENCH}`, 0],
    ({ sandbox }) => {
      const held = heldBy(sandbox);
      expect(held).toHaveLength(7);
      expect(held).toContainEqual({
        cle: "F000121",
        num_commande: "551035",
        date_billed: "2016-07-05",
        actual_billable_amount: "1437.50",
        num_invoice: "16000162",
        date_closed: "2016-09-05",
      });
      expect(held).toContainEqual({
        cle: expect.anything(),
        num_commande: "00552002",
        date_billed: "2016-08-01",
        actual_billable_amount: "-75.00",
        num_invoice: "16000168",
      });
    },
  ]);
  const record = '{"cle":"A1","num_commande":12345678901234567890,"actual_billable_amount":0.10}';
  for (const [name, content] of [
    ["a.json", `[${record}]`],
    ["a.ndjson", `${record}\n`],
    ["b.json", `{"page":1,"orders":[${record}]}`],
    ["a.csv.gz", gzipSync("cle;num_commande;actual_billable_amount\nA1;12345678901234567890;0,10\n")],
  ] as const)
    scenario(
      `reads ${name} and keeps every digit: ${content.toString().slice(0, 9)}`,
      { [name]: content },
      [[`push ${name}`, 0]],
      [{ cle: "A1", num_commande: "12345678901234567890", actual_billable_amount: "0.10" }],
    );
  it("reads standard input, and several files in the order given", async () => {
    const sandbox = await openSandbox();
    const first = await makeFile("first.csv", "cle,state\nA1,old\nA2,old\n");
    await expectEnd(
      pushTo(sandbox, [first, "-"], { stdin: "cle;state\nA1;new\n" }),
      0,
      "3 rows read: 3 accepted",
    );
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", state: "new" },
      { cle: "A2", state: "old" },
    ]);
  });
  scenario(
    "sends nothing of any file when a later one is invalid, and has nothing to do for one with only a header",
    {
      "good.csv": UPDATES,
      "bad.csv": "cle,date_billed\nA1,31/02/2016\n",
      "header.csv": "cle,num_commande\n",
      "all.csv": "cle,date_billed\nA1,2016-02-30\nA2,soon\n",
    },
    [
      [
        "push good.csv bad.csv",
        3,
        /bad\.csv:2: column 2 "date_billed" holds "31\/02\/2016":/,
        "4 rows read: 1 rejected, 3 not sent",
      ],
      ["push header.csv", 0, "Nothing to do"],
      ["push all.csv --on-invalid skip", 4, "all.csv:2:", "every row is invalid; nothing was sent"],
      nothingSent,
    ],
  );
  scenario(
    "sends the valid rows and counts the others with --on-invalid skip",
    { "a.csv": "cle,date_billed\nA1,05/13/2016\nA2,05/32/2016\nA3,05/14/2016\n" },
    [["push a.csv --on-invalid skip", 4, "a.csv:3:", "3 rows read: 2 accepted, 1 rejected"]],
    [
      { cle: "A1", date_billed: "2016-05-13" },
      { cle: "A3", date_billed: "2016-05-14" },
    ],
  );
  const rows = Array.from({ length: 60 }, (_, index) => `K${index % 7},${index}\n`);
  scenario(
    "keeps the last of two rows with one key, at any concurrency",
    { "a.csv": `cle,version\n${rows.join("")}` },
    [
      faults("latency=20,match=K3"),
      ["push a.csv --batch-size 3 --concurrency 8", 0],
      ({ sandbox }) =>
        expect(Object.fromEntries(heldBy(sandbox).map(({ cle, version }) => [cle, version]))).toEqual({
          K0: "56",
          K1: "57",
          K2: "58",
          K3: "59",
          K4: "53",
          K5: "54",
          K6: "55",
        }),
    ],
  );
});

describe("exit codes", () => {
  const files = { "updates.csv": UPDATES, "creates.csv": CREATES };
  for (const [name, line, fault, exit, said] of [
    ["a wrong token", "updates.csv", "status=401,msg=Invalid API key.", 5, "Invalid API key"],
    ["an unknown table", "updates.csv", "status=404", 6, "404"],
    ["a redirect", "creates.csv", "status=302", 6, "points elsewhere (302)"],
    ["a failing service and updates", "updates.csv --retries 0", "status=500", 7, "failed"],
    ["a failing service and creates", "creates.csv --retries 0", "status=500", 8, "in doubt"],
    ["a lost answer to a create", "creates.csv", "drop=after", 8, "in doubt"],
    ["a refused update", "updates.csv", "refuse=num_commande:551036", 4, "refused"],
    ["creates refused as such", "creates.csv --batch-size 2", "refuse=num_commande:551035", 4, "refused"],
  ] as const)
    scenario(`${exit}: ${name}`, files, [faults(fault), [`push ${line}`, exit, said]]);
  it("2: names what is missing", async () => {
    const file = await makeFile("rows.csv", UPDATES);
    const target = ["-t", "t", "-u", "https://x.example"];
    for (const [argv, said, env = {}] of [
      [[file], "--table"],
      [[file, "--table", "t"], "--url"],
      [[file, ...target], "REC_PUSH_TOKEN"],
      [[file, "-t", "t", "-u", "nonsense"], "--url https://host.example", { REC_PUSH_TOKEN: "x" }],
      [[file, "-t", "t", "-u", "http://x.example"], "--allow-http", { REC_PUSH_TOKEN: "x" }],
      [[file, "--nonsense"], "--nonsense"],
      [[file, ...target, "--batch-size", "many"], "--batch-size", { REC_PUSH_TOKEN: "x" }],
    ] as const)
      expect(await runMain(argv, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    expect(await runMain([])).toMatchObject({ code: 0, stderr: "" });
  });
  scenario("7: a service that is not there", files, [
    ({ sandbox }) => sandbox.close(),
    ["push creates.csv --retries 0", 7, "3 rows read: 3 failed", "Next: run the same command again"],
  ]);
});

describe("--json", () => {
  scenario("tells every step as one object a line, and a summary that adds up", {}, [
    [
      `push ${FRENCH} --json`,
      0,
      /^{"event":"run".*\n{"event":"survey".*"format":"csv".*"encoding":"windows-1252".*\n{"event":"notice".*\n(?:{"event":"batch".*\n){3}{"event":"summary".*\n\n/,
      /"event":"survey".*"rows":7.*"updates":5,"creates":2.*"unpinned":\["--encoding windows-1252"/,
      /"read":7,"accepted":7,"refused":0,"failed":0,"inDoubt":0,"rejected":0,"notSent":0,"skipped":0,.*"batches":3,.*"exitCode":0,.*"safeToRerun":true/,
    ],
  ]);
  scenario(
    "reports each refused record with its line, and the one create that is sent before the others",
    {
      "a.csv": UPDATES,
      "b.csv": CREATES,
    },
    [
      faults("refuse=num_commande:551036"),
      [
        "push a.csv --json",
        4,
        /"event":"reject".*"line":3.*551036/,
        /"accepted":2,"refused":1,.*"exitCode":4/,
      ],
      faults(),
      ["push b.csv --json --batch-size 2", 0, /"event":"batch".*\n/, /^[^]*?"kind":"create","rows":1,/],
    ],
  );
});

describe("--quiet", () => {
  scenario("says nothing on success but what is not pinned, and reports a failure", { "a.csv": UPDATES }, [
    ["push a.csv --quiet", 0, /^\na\.csv: inferred; to fix it for good, add: --delimiter comma\n$/],
    ["push a.csv --quiet --delimiter comma", 0, /^\n$/],
    [`push ${FRENCH} --quiet`, 0, /^\n.*--encoding windows-1252 --delimiter semicolon.*\n$/],
    faults("status=401"),
    ["push a.csv --quiet", 5, "error:", "3 not sent"],
  ]);
});
