import { gzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import { fixture } from "../support/fixture.ts";
import { heldBy } from "../support/push-to-sandbox.ts";
import { faults, nothingSent, piped, scenario } from "../support/scenario.ts";

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
  scenario("sends every value in the service's format", {}, [
    [`push ${FRENCH}`, 0, "7 rows: 5 updates, 2 creates (rows without cle)", "7 rows read: 7 accepted"],
    ({ held }) =>
      expect(held()).toContainEqual({
        cle: "F000121",
        num_commande: "551035",
        date_billed: "2016-07-05",
        actual_billable_amount: "1437.50",
        num_invoice: "16000162",
        date_closed: "2016-09-05",
      }),
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
  scenario(
    "reads standard input, and several files in the order given",
    { "first.csv": "cle,state\nA1,old\nA2,old\n" },
    [piped("cle;state\nA1;new\n", "push first.csv -", 0, "3 rows read: 3 accepted")],
    [
      { cle: "A1", state: "new" },
      { cle: "A2", state: "old" },
    ],
  );
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
    ["a redirect", "creates.csv", "status=302", 6, "points elsewhere (302)"],
    ["a failing service and creates", "creates.csv --retries 0", "status=500", 8, "in doubt"],
    ["creates refused as such", "creates.csv --batch-size 2", "refuse=num_commande:551035", 4, "refused"],
  ] as const)
    scenario(`${exit}: ${name}`, files, [faults(fault), [`push ${line}`, exit, said]]);
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
