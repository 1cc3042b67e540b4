import { describe, expect } from "vitest";
import { faults, scenario } from "../support/scenario.ts";

const updates = (count: number): string =>
  `cle,num_commande\n${Array.from({ length: count }, (_, at) => `A${at},${551_000 + at}\n`).join("")}`;
const FILES = { "ten.csv": updates(10), "many.csv": updates(64) };
const ONE_BY_ONE = "--batch-size 1 --concurrency 1 --retries 0";

describe("a service in trouble", () => {
  scenario(
    "that keeps failing is left alone after --max-failed batches in a row; the same command goes on",
    FILES,
    [
      faults("status=500,skip=2"),
      [
        `push ten.csv ${ONE_BY_ONE} --max-failed 3`,
        7,
        "10 rows read: 2 accepted, 3 failed, 5 not sent",
        "3 batches in a row failed or are in doubt",
        "Next: run the same command again",
      ],
      [
        "runs --json",
        0,
        { tells: { state: "unfinished", accepted: 2, failed: 3, notSent: 5, exitCode: 7 } },
        /"next":\["rec-push resume \S+ sends the rest"\]/,
      ],
      ["runs", 0, "  exit 7: 3 batches in a row failed"],
      faults(),
      ["push ten.csv", 0, "10 rows read: 10 accepted"],
      ["runs --json", 0, { tells: { state: "finished", next: [] } }],
    ],
  );
  scenario("that asks to wait for longer than --max-wait ends the run, naming the time", FILES, [
    faults("status=429,retry-after=3600"),
    [
      "push ten.csv",
      7,
      "the service asks to wait 60 min in total: 429",
      "--max-wait",
      "10 rows read: 10 not sent",
    ],
    ["runs --json", 0, { tells: { state: "unfinished", notSent: 10 } }],
    faults(),
    ["resume", 0, "10 rows read: 10 accepted"],
  ]);
  scenario("that slows down is waited for, and says so", FILES, [
    faults("status=429,retry-after=1,times=1"),
    [
      "push ten.csv --json",
      0,
      { tells: { event: "waiting", ms: 1000 } },
      { tells: { accepted: 10, batches: 1 } },
    ],
  ]);
  scenario("that refuses every record is found out after twenty", FILES, [
    faults("status=422,msg=No such field."),
    [
      "push many.csv --concurrency 1",
      4,
      "the service refused 20 records in a row, each sent alone (422): No such field.",
      "64 rows read: 20 refused, 44 not sent",
    ],
    ["runs --json", 0, { tells: { state: "unfinished", refused: 20, notSent: 44 } }],
  ]);
  scenario(
    "that fails an update keeps the later rows with its key back, and a resume keeps their order",
    { "a.csv": "cle,state\nA1,old\nA2,x\nA1,new\nA3,x\n" },
    [
      faults("status=500,match=old"),
      [`push a.csv ${ONE_BY_ONE}`, 7, "4 rows read: 2 accepted, 1 failed, 1 not sent"],
      ["runs --json", 0, { tells: { state: "unfinished", failed: 1, notSent: 1 } }],
      faults(),
      [
        `push a.csv ${ONE_BY_ONE} --json`,
        0,
        /"event":"batch".*"line":2\b[^]*"event":"batch".*"line":4\b/,
        { not: /"event":"batch"[^]*"event":"batch"[^]*"event":"batch"/ },
      ],
      ({ held }) => expect(held()).toContainEqual({ cle: "A1", state: "new" }),
    ],
  );

  scenario(
    "leaves a summary that names what is in doubt, however many rows were refused before",
    {
      "a.csv": `cle,state\n${Array.from({ length: 100 }, (_, at) => `A${at},bad\nB${at},good\n`).join("")},x\n`,
    },
    [
      faults("refuse=state:bad", "drop=after,kind=create"),
      [
        `push a.csv ${ONE_BY_ONE}`,
        8,
        "201 rows read: 100 accepted, 100 refused, 1 in doubt",
        "in doubt: 1 create in a.csv, line 202",
      ],
    ],
  );
});
