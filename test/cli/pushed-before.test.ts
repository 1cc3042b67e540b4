import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastJournals } from "../support/run-main.ts";
import { openWorld } from "../support/open-world.ts";
import { type Step, edit, faults, holdsOnce, scenario } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";

const creates = (from: number, count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => from + at), ""].join("\n");
const MIXED = "cle,num_commande\nA1,551035\n,551036\nA2,551037\n,551038\n";
const PACE = "--batch-size 1 --concurrency 1";
/** What is said of the only run, or of the first of several. */
const firstRun = (...says: readonly (string | { not: string })[]): Step => {
  let first = "";
  return async ({ command, runs }) => {
    if (first === "") [first = ""] = await runs();
    const { stdout } = await command(["runs", first]);
    for (const one of says)
      if (typeof one === "string") expect(stdout).toContain(one);
      else expect(stdout).not.toContain(one.not);
  };
};

describe("content that was pushed before", () => {
  scenario("is named as left out with --quiet too", { "a.csv": creates(1000, 6) }, [
    ["push a.csv", 0],
    ["push a.csv --quiet", 0, /^\n.*a\.csv was already pushed on .*left out.*--again/],
    holdsOnce(6),
  ]);
  scenario(
    "sends its updates again, so that the service holds the values of the last push",
    { "a.csv": MIXED, "b.csv": "cle,num_commande\nA1,2\nA2,2\n" },
    [
      ["push a.csv", 0],
      ["push b.csv", 0],
      [
        "push a.csv",
        0,
        "4 rows read: 2 accepted, 2 skipped",
        "only its updates are sent, its 2 creates are left out",
      ],
      holdsOnce(4),
      ({ sandbox }) =>
        expect(sandbox.store.snapshot("commandes")).toContainEqual({ cle: "A1", num_commande: "551035" }),
    ],
  );
  scenario("shows its creates as skipped in the results", { "a.csv": MIXED }, [
    ["push a.csv", 0],
    ["push a.csv --results r.ndjson --json", 0, /"read":4,"accepted":2,.*"skipped":2,.*"exitCode":0/],
    async ({ directory }) => {
      const lines = (await readFile(join(directory, "r.ndjson"), "utf8")).trim().split("\n");
      const rows = lines.map((line) => JSON.parse(line) as { outcome: string; msg: string });
      expect(rows.map(({ outcome }) => outcome)).toEqual(["accepted", "skipped", "accepted", "skipped"]);
      expect(rows[1]?.msg).toContain("created before");
    },
    holdsOnce(4),
  ]);
  scenario("leaves its creates out of a run that was cut off and is resumed", { "a.csv": MIXED }, [
    ["push a.csv", 0],
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    ["resume", 0, "4 rows read: 2 accepted, 2 skipped"],
    holdsOnce(4),
  ]);
  scenario(
    "is other content for another value of --query, and the same in any order",
    { "a.csv": creates(1000, 6) },
    [
      ["push a.csv --query tenant=a --query x=1", 0],
      ["push a.csv --query tenant=b --query x=1", 0, "6 accepted"],
      ["push a.csv --query x=1 --query tenant=a", 0, "6 skipped"],
      faults("status=401"),
      ["push a.csv --query tenant=c", 5],
      faults(),
      ["resume --query tenant=b", 2, "other values of --query"],
      ["resume --query tenant=c", 0],
      ({ numbers }) => expect(numbers()).toHaveLength(18),
    ],
  );
  it("does not reveal the values of --query", async () => {
    const { push, home, runs } = await openWorld();
    await push([await makeFile("orders.csv", creates(1000, 6)), "--query", "tenant=canary-tenant"]);
    const [run = ""] = await runs();
    const state = join(home, "rec-push");
    const journal = lastJournals.get(join(runsIn(state), run, "journal"))!.toString();
    const book = await readFile(join(await tableIn(state), "book"), "utf8");
    expect(book).toContain("queryNames");
    for (const text of [book, journal]) expect(text).not.toContain("canary");
  });
});

describe("the rejects of content that was pushed before", () => {
  const mend = /mend the 1 row in a\.rejects\.csv, then push that file[^:]*: rec-push (.*)/;
  const listed = firstRun("mend the 1 row in ");
  const again: Step = [`push a.csv ${PACE}`, 4, "2 accepted, 1 refused, 1 skipped", mend];
  scenario(
    "are sent again with that content, and end with exit 4 until they are accepted",
    { "a.csv": MIXED },
    [
      faults("status=400,match=551036"),
      [`push a.csv ${PACE}`, 4, /create +1 row .* -> refused/],
      listed,
      again,
      again,
      ["runs --all", 0, "2 accepted, 1 refused, 1 skipped"],
      faults(),
      [`push a.csv ${PACE}`, 0, "3 accepted, 1 skipped", { not: "Next" }],
      ["runs --all", 0, { not: "mend" }],
      holdsOnce(4),
    ],
  );
  scenario("are named no more if they are updates that a later push has sent", { "a.csv": MIXED }, [
    faults("status=400,match=551035"),
    [`push a.csv ${PACE}`, 4, /update +1 row .* -> refused/],
    ["runs --all", 0, "mend the 1 row"],
    faults("status=401,match=551035"),
    // It has not come to that update.
    [`push a.csv ${PACE}`, 5],
    ["runs --all", 0, "mend the 1 row"],
    faults(),
    [`push a.csv ${PACE}`, 0, { not: "Next: mend" }],
    ["runs --all", 0, { not: "mend" }],
    holdsOnce(4),
  ]);
  scenario(
    "are named no more once they were mended and pushed to the end: exit 0",
    { "a.csv": `${creates(1000, 3)}x\ny\n` },
    [
      ["push a.csv --on-invalid skip --header-line 1", 4],
      edit("a.rejects.csv", ";x\n", ";5000\n"),
      // One of them is rejected once more.
      ["push a.rejects.csv --on-invalid skip --rejects r.csv", 4],
      ["push a.csv --on-invalid skip --header-line 1", 4],
      edit("a.rejects.csv", ";y\n", ";5001\n"),
      ["push a.rejects.csv --exports delta", 0],
      [
        "push a.csv --on-invalid skip --header-line 1",
        0,
        "it is left out, so that no record is created twice",
        "5 rows read: 5 skipped",
      ],
      holdsOnce(5),
    ],
  );
  scenario("that are gone are written again", { "a.csv": `${creates(1000, 3)}x\n` }, [
    ["push a.csv --on-invalid skip --header-line 1", 4],
    ({ directory }) => rm(join(directory, "a.rejects.csv")),
    ["push a.csv --on-invalid skip --header-line 1", 4, "mend the 1 row in a.rejects.csv"],
  ]);
});

describe("an identity that is named later", () => {
  const IDENTITY = "--exports full --identify-by ref";
  for (const [name, before, after] of [
    ["a text that becomes digits", "--type ref=text", "--type ref=digits"],
    ["digits that become a text", "--type ref=digits", "--type ref=text"],
  ] as const)
    scenario(
      `knows its creates again where its column is read in another way: ${name}`,
      {
        "a.csv": "ref;state\n001;a\n002;b\n003;c\n",
        "b.csv": "ref;state\n001;a\n002;other\n003;c\n004;d\n",
      },
      [
        [`push a.csv ${before}`, 0],
        [
          `push b.csv ${after} ${IDENTITY}`,
          4,
          "3 creates were created before with other values",
          "1 accepted",
        ],
      ],
      ["001", "002", "003", "004"].map((ref, at) => ({
        cle: expect.any(String) as string,
        ref,
        state: "abcd"[at]!,
      })),
    );
});

describe("a run whose journal is lost", () => {
  scenario("does not matter if it held updates only", { "a.csv": "cle,num_commande\nA1,1\n" }, [
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    async ({ runs, directoryOf }) => rm(directoryOf((await runs())[0]!), { recursive: true }),
    ["push a.csv", 0, "1 accepted"],
  ]);
});

describe("creates in a table that has creates of other content", () => {
  for (const [what, content, options] of [
    ["updates only", "cle,num_commande\nA1,2\n", ""],
    ["another --run-key", creates(1, 3), "--run-key shop-2"],
    ["another --query", creates(1, 3), "--query tenant=b"],
    ["another table", creates(1, 3), "--table factures"],
  ] as const)
    scenario(`are of no concern where the push has ${what}`, { "a.csv": creates(100, 5), "b.csv": content }, [
      ["push a.csv", 0],
      [`push b.csv ${options}`, 0, { not: "created before" }],
    ]);
  scenario("do not matter for mended rejects, which were not created", { "a.csv": `${creates(1, 3)}x\n` }, [
    ["push a.csv --on-invalid skip --header-line 1", 4],
    edit("a.rejects.csv", ";x\n", ";5000\n"),
    ["push a.rejects.csv", 0, { not: "created before" }],
  ]);
  scenario("are told apart by no empty --run-key", { "a.csv": creates(1, 3) }, [
    ["push a.csv --run-key ''", 2, /--run-key " ?": expected a text/],
    ["push a.csv --run-key ' '", 2, /--run-key " ?": expected a text/],
    holdsOnce(0),
  ]);
});
